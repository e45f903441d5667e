#include <tasuki/file/array_file.hpp>

namespace tasuki {

std::size_t CellArray::number_bytes() const {
  switch (type) {
    case ValueType::f32: return 4;
    case ValueType::f64:
    case ValueType::c64: return 8;
    case ValueType::c128: return 16;
    default: throw Error("an array holds real or complex numbers only", "use f32, f64, c64 or c128");
  }
}

std::size_t CellArray::cell_bytes() const {
  std::size_t bytes = number_bytes();
  for (const long n : cell) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

std::vector<long> CellArray::shape(int dims) const {
  std::vector<long> all;
  for (int a = dims; a-- > 0;) all.push_back(extents[a]);
  all.insert(all.end(), cell.begin(), cell.end());
  return all;
}

} // namespace tasuki

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/gather.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/integrity.hpp>

#include <fmt/format.h>
#include <hdf5_hl.h>

namespace tasuki {

std::uint64_t sum_of_piece(const CellPiece& piece, std::size_t cell_bytes) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < piece.places.size(); ++i)
    sum += hash_bytes(&piece.bytes[i * cell_bytes], cell_bytes, piece.places[i]);
  return sum;
}

namespace {

using h5::check;
using h5::Handle;

// Creates the file; returns the byte offset of the first cell.
std::uint64_t lay_out(const std::string& name, const std::string& path, const CellArray& array, int dims) {
  const std::string doing = "write " + path;
  const Handle layout = h5::without_times(H5P_FILE_CREATE, doing), access = h5::file_access();
  Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, layout, access), H5Fclose, doing);
  const std::vector<long> sizes = array.shape(dims);
  const std::vector<hsize_t> shape(sizes.begin(), sizes.end());
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                     doing);
  const Handle type = h5::value_type(array.type, array.number_bytes());
  const Handle how = h5::without_times(H5P_DATASET_CREATE, doing);
  check(H5Pset_layout(how, H5D_CONTIGUOUS), doing);
  check(H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY), doing);
  check(H5Pset_fill_time(how, H5D_FILL_TIME_NEVER), doing);
  std::uint64_t offset = HADDR_UNDEF;
  {
    const Handle set(H5Dcreate2(file, array.name.c_str(), type, space, H5P_DEFAULT, how, H5P_DEFAULT),
                     H5Dclose, doing);
    h5::write_attribute(set, "tasuki", std::string(TASUKI_VERSION));
    h5::write_attribute(set, "checksum", std::uint64_t(0));
    for (const auto& [key, value] : array.attributes)
      std::visit([&, key = key](const auto& held) { h5::write_attribute(set, key, held); }, value);
    for (unsigned k = 0; k < array.axes.size(); ++k)
      check(H5DSset_label(set, k, array.axes[k].c_str()), doing);
    offset = H5Dget_offset(set);
  }
  file.close(doing);
  if (offset == HADDR_UNDEF) throw Error("HDF5 gave the array of " + path + " no place", "write it again");
  return offset;
}

void write_checksum(const std::string& name, const std::string& path, const CellArray& array,
                    std::uint64_t sum) {
  const std::string doing = "write " + path;
  const Handle access = h5::file_access();
  Handle file(H5Fopen(name.c_str(), H5F_ACC_RDWR, access), H5Fclose, doing);
  {
    const Handle set(H5Dopen2(file, array.name.c_str(), H5P_DEFAULT), H5Dclose, doing);
    h5::write_attribute(set, "checksum", sum);
  }
  file.close(doing);
}

} // namespace

void write_array(World& world, const std::string& path, const CellArray& array, const Box& box,
                 const std::function<void(CellPiece&)>& fill) {
  const h5::Quiet quiet;
  std::size_t values = array.cell_bytes();
  for (int a = 0; a < box.dims; ++a) values *= static_cast<std::size_t>(array.extents[a]);
  constexpr std::size_t kAround = 64 * 1024; // space for the metadata of HDF5
  write_whole(world, path, values + kAround, [&](SharedPart& part) {
    std::uint64_t offset = 0, bytes = 0;
    on_root(world, [&] {
      offset = lay_out(part.name(), path, array, box.dims);
      bytes = file_size(part.name());
      part.reserve(bytes); // HDF5 has truncated the file, so its space is no longer reserved
    });
    offset = static_cast<std::uint64_t>(of_root(world, static_cast<long>(offset)));
    bytes = static_cast<std::uint64_t>(of_root(world, static_cast<long>(bytes)));
    check_visible(world, part.name(), path, bytes);
    std::uint64_t mine = 0;
    on_all(world, [&] {
      write_cells(part.name(), path, {array.extents, offset, array.cell_bytes()}, box, [&](CellPiece& piece) {
        fill(piece);
        mine += sum_of_piece(piece, array.cell_bytes());
      });
    });
    const std::uint64_t sum = sum_of(world, mine);
    on_root(world, [&] { write_checksum(part.name(), path, array, sum); });
  });
}

} // namespace tasuki

#else
#include <tasuki/file/hdf5.hpp>

namespace tasuki {

using h5::throw_absent;

ArrayInfo inspect_array(const std::string&, const std::string&) { throw_absent(); }
void write_array(World&, const std::string&, const CellArray&, const Box&,
                 const std::function<void(CellPiece&)>&) {
  throw_absent();
}
void read_array(World&, const std::string&, const CellArray&, const Box&,
                const std::function<void(const CellPiece&)>&) {
  throw_absent();
}

} // namespace tasuki

#endif

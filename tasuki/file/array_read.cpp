#include <tasuki/file/array_file.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/integrity.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace tasuki {
namespace {

using h5::check;
using h5::Handle;

constexpr long kLeastPiece = 32 << 20; // the least size of a piece in bytes, if the box is that large

struct Opened {
  Handle file, set;
};

std::string names_at_root(hid_t file, const std::string& doing) {
  H5G_info_t group;
  check(H5Gget_info(file, &group), doing);
  std::vector<std::string> names;
  for (hsize_t k = 0; k < std::min<hsize_t>(group.nlinks, 12); ++k) {
    const ssize_t length =
        H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, nullptr, 0, H5P_DEFAULT);
    check(length, doing);
    std::string name(static_cast<std::size_t>(length), '\0');
    check(H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name.data(), name.size() + 1,
                             H5P_DEFAULT),
          doing);
    names.push_back(name);
  }
  if (names.empty()) return "nothing";
  return fmt::format("{}{}", fmt::join(names, ", "), group.nlinks > names.size() ? " and more" : "");
}

Opened open_array(const std::string& path, const std::string& name) {
  const Descriptor there(path, O_RDONLY);
  if (there.get() < 0) throw_read_error(path, errno);
  const std::string doing = "read " + path;
  const Handle access = h5::file_access();
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, doing);
  const hid_t opened = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (opened < 0)
    throw Error(fmt::format("{} has no dataset '{}'; it has {}", path, name, names_at_root(file, doing)),
                "give a file that has it, or name it so");
  return {std::move(file), Handle(opened, H5Dclose, doing)};
}

// The size in bytes of a floating-point type; 0 for other types.
std::size_t float_bytes(hid_t type) { return H5Tget_class(type) == H5T_FLOAT ? H5Tget_size(type) : 0; }

// The size in bytes of the real part of a complex number in h5py's form; 0 for other types.
std::size_t part_bytes(hid_t type, const std::string& doing) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return 0;
  std::size_t bytes[2];
  for (const unsigned k : {0u, 1u}) {
    const int at = H5Tget_member_index(type, k == 0 ? "r" : "i");
    if (at < 0) return 0;
    const Handle member(H5Tget_member_type(type, static_cast<unsigned>(at)), H5Tclose, doing);
    bytes[k] = float_bytes(member);
  }
  return bytes[0] == bytes[1] ? bytes[0] : 0;
}

std::vector<long> shape_in_file(hid_t set, const std::string& doing) {
  const Handle space(H5Dget_space(set), H5Sclose, doing);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

void read_type(hid_t set, ArrayInfo& info, const std::string& doing) {
  const Handle type(H5Dget_type(set), H5Tclose, doing);
  const std::size_t real = float_bytes(type), part = part_bytes(type, doing);
  if (real > 0) info.type = real <= 4 ? ValueType::f32 : ValueType::f64;
  if (part > 0) info.type = part <= 4 ? ValueType::c64 : ValueType::c128;
  const H5T_class_t kind = H5Tget_class(type);
  info.numbers = fmt::format("{} of {} bytes",
                             part > 0              ? "complex numbers"
                             : real > 0            ? "real numbers"
                             : kind == H5T_INTEGER ? "integers"
                             : kind == H5T_STRING  ? "texts"
                                                   : "values",
                             H5Tget_size(type));
}

// Nothing if the attribute is not a single text.
std::optional<std::string> read_text(hid_t attribute, const std::string& doing) {
  const Handle type(H5Aget_type(attribute), H5Tclose, doing), space(H5Aget_space(attribute), H5Sclose, doing);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    check(H5Aread(attribute, type, &text), doing);
    const std::string copy = text ? text : "";
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()), doing);
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

void read_texts(hid_t set, ArrayInfo& info, const std::string& doing) {
  const auto take = [](hid_t object, const char* name, const H5A_info_t*, void* to) -> herr_t {
    try {
      const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "read an attribute");
      if (const auto text = read_text(attribute, "read an attribute"))
        static_cast<ArrayInfo*>(to)->texts[name] = *text;
    } catch (const Error&) { // HDF5 cannot read this attribute, so Tasuki did not write it
    }
    return 0;
  };
  hsize_t at = 0;
  check(H5Aiterate2(set, H5_INDEX_NAME, H5_ITER_INC, &at, take, &info), doing);
}

ArrayInfo info_of(const Opened& opened, const std::string& path) {
  const std::string doing = "read " + path;
  ArrayInfo info;
  info.shape = shape_in_file(opened.set, doing);
  read_type(opened.set, info, doing);
  read_texts(opened.set, info, doing);
  return info;
}

void check_match(const ArrayInfo& info, const std::string& path, const CellArray& array, int dims) {
  const std::string what = fmt::format("'{}' of {}", array.name, path);
  if (info.shape != array.shape(dims))
    throw Error(fmt::format("{} has shape ({}), not ({})", what, fmt::join(info.shape, ", "),
                            fmt::join(array.shape(dims), ", ")),
                "give a file of that shape");
  const bool complex = array.type == ValueType::c64 || array.type == ValueType::c128;
  const bool theirs = info.type == ValueType::c64 || info.type == ValueType::c128;
  if (info.type == ValueType::bytes || complex != theirs)
    throw Error(fmt::format("{} holds {}, not {} numbers", what, info.numbers, complex ? "complex" : "real"),
                "write it anew with such");
}

// Nothing if the file has no checksum.
std::optional<std::uint64_t> stored_checksum(const Opened& opened, const ArrayInfo& info,
                                             const CellArray& array, const std::string& doing) {
  if (info.type != array.type || H5Aexists(opened.set, "checksum") <= 0) return {};
  const Handle attribute(H5Aopen(opened.set, "checksum", H5P_DEFAULT), H5Aclose, doing);
  std::uint64_t sum = 0;
  check(H5Aread(attribute, H5T_NATIVE_UINT64, &sum), doing);
  return sum;
}

// The number of slices per chunk. Pieces end between chunks, so that no chunk is decompressed twice.
long slices_of_chunk(hid_t set, std::size_t rank, const std::string& doing) {
  const Handle how(H5Dget_create_plist(set), H5Pclose, doing);
  if (H5Pget_layout(how) != H5D_CHUNKED) return 1;
  std::vector<hsize_t> chunk(rank);
  check(H5Pget_chunk(how, static_cast<int>(rank), chunk.data()), doing);
  return static_cast<long>(chunk.front());
}

void read_slices(hid_t set, const std::string& doing, const CellArray& array, const Box& box,
                 const std::function<void(const CellPiece&)>& take) {
  if (box.empty()) return;
  const Handle all(H5Dget_space(set), H5Sclose, doing),
      type = h5::value_type(array.type, array.number_bytes());
  const int slowest = box.dims - 1;
  const long cells = box.cells() / box.extent(slowest); // per slice
  const long chunk = slices_of_chunk(set, array.shape(box.dims).size(), doing);
  const long most = std::max<long>(1, kLeastPiece / (cells * static_cast<long>(array.cell_bytes())));
  CellPiece piece;
  for (Box slab = box; slab.lo[slowest] < box.hi[slowest]; slab.lo[slowest] = slab.hi[slowest]) {
    const long lo = slab.lo[slowest];
    slab.hi[slowest] = std::min(box.hi[slowest], std::max((lo + most) / chunk, lo / chunk + 1) * chunk);
    std::vector<hsize_t> start, count;
    for (int a = slowest; a >= 0; --a) {
      start.push_back(static_cast<hsize_t>(slab.lo[a]));
      count.push_back(static_cast<hsize_t>(slab.extent(a)));
    }
    start.resize(start.size() + array.cell.size());
    count.insert(count.end(), array.cell.begin(), array.cell.end());
    check(H5Sselect_hyperslab(all, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), doing);
    const Handle here(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose,
                      doing);
    piece.places.clear();
    for_runs(slab, array.extents, [&](std::uint64_t place, long run) {
      for (long i = 0; i < run; ++i) piece.places.push_back(place + static_cast<std::uint64_t>(i));
    });
    piece.bytes.resize(piece.places.size() * array.cell_bytes());
    check(H5Dread(set, type, here, all, H5P_DEFAULT, piece.bytes.data()), doing);
    take(piece);
    piece.first += slab.cells();
  }
}

} // namespace

ArrayInfo inspect_array(const std::string& path, const std::string& name) {
  const h5::Quiet quiet;
  return info_of(open_array(path, name), path);
}

void read_array(World& world, const std::string& path, const CellArray& array, const Box& box,
                const std::function<void(const CellPiece&)>& take) {
  const h5::Quiet quiet;
  const std::size_t cell_bytes = array.cell_bytes();
  std::optional<std::uint64_t> stored;
  std::uint64_t mine = 0;
  on_all(world, [&] {
    const Opened opened = open_array(path, array.name);
    const ArrayInfo info = info_of(opened, path);
    check_match(info, path, array, box.dims);
    stored = stored_checksum(opened, info, array, "read " + path);
    read_slices(opened.set, "read " + path, array, box, [&](const CellPiece& piece) {
      if (stored) mine += sum_of_piece(piece, cell_bytes);
      take(piece);
    });
  });
  const std::uint64_t sum = sum_of(world, mine);
  if (stored && sum != *stored)
    throw Error(fmt::format("'{}' of {} is not what its checksum says", array.name, path),
                "copy it again, or take the attribute away where it was changed on purpose");
}

} // namespace tasuki
#endif

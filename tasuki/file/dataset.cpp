#include <tasuki/file/dataset.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/agree.hpp>
#include <tasuki/file/hdf5.hpp>
#include <tasuki/file/integrity.hpp>
#include <tasuki/file/slabs.hpp>

#include <memory>

namespace tasuki {
namespace {

using h5::check;
using h5::Handle;

constexpr long kSlabBytes = 1L << 30;

// The file as all ranks hold it open. Made and destroyed by all ranks together.
Handle open_parallel(World& world, const std::string& name, unsigned how, const std::string& doing) {
  std::unique_ptr<Handle> file;
  on_all(world, [&] {
    const Handle access = h5::parallel_access(world.comm());
    file = std::make_unique<Handle>(H5Fopen(name.c_str(), how, access), H5Fclose, doing);
  });
  return std::move(*file);
}

std::size_t block_bytes(const FieldCore& field) {
  return static_cast<std::size_t>(field.grid().owned().cells()) * field.components() * field.element_bytes();
}

// Moves each slab of this rank's block between the dataset and `values` (components slowest, x fastest).
//
// Each rank moves its own bytes and hears of its own faults: Open MPI's collective writes report success on every
// rank where the one that writes for the others meets a full disk.
template <class Move>
void for_slabs(hid_t file, const FieldCore& field, char* values, const std::string& doing, const Move& move) {
  const Handle dataset(H5Dopen2(file, ("fields/" + field.name()).c_str(), H5P_DEFAULT), H5Dclose, doing);
  const Handle space(H5Dget_space(dataset), H5Sclose, doing);
  const Handle type = h5::value_type(field.type(), field.element_bytes());
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, doing);
  check(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_INDEPENDENT), doing);
  const std::size_t bytes = field.element_bytes();
  const int dims = field.grid().dims();
  const std::vector<Box> parts = slabs(field.grid().owned(), kSlabBytes / static_cast<long>(bytes));
  for (int k = 0; k < field.components(); ++k)
    for (const Box& part : parts) {
      std::vector<hsize_t> start, count;
      if (field.components() > 1) {
        start.push_back(static_cast<hsize_t>(k));
        count.push_back(1);
      }
      for (int a = dims - 1; a >= 0; --a) {
        start.push_back(static_cast<hsize_t>(part.lo[a]));
        count.push_back(static_cast<hsize_t>(part.extent(a)));
      }
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), doing);
      const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose,
                          doing);
      check(move(dataset, type, memory, space, transfer, values), doing);
      values += static_cast<std::size_t>(part.cells()) * bytes;
    }
}

std::uint64_t block_checksum(const FieldCore& field, const char* values) {
  const Box block = field.grid().owned();
  const std::size_t plane = static_cast<std::size_t>(block.cells()) * field.element_bytes();
  std::uint64_t sum = 0;
  for (int k = 0; k < field.components(); ++k)
    sum += checksum(values + k * plane, field.element_bytes(), block, field.grid().extents(), k);
  return sum;
}

} // namespace

void write_fields(World& world, const std::string& name, const std::string& path,
                  const std::vector<const FieldCore*>& fields, Manifest& manifest) {
  const std::string doing = "write " + path;
  Handle file = open_parallel(world, name, H5F_ACC_RDWR, doing);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FieldCore& field = *fields[f];
    std::uint64_t mine = 0;
    on_all(world, [&] {
      std::vector<char> values(block_bytes(field));
      field.read(values.data());
      mine = block_checksum(field, values.data());
      for_slabs(file, field, values.data(), "write field '" + field.name() + "' to " + path,
                [](hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer, const char* from) {
                  return H5Dwrite(dataset, type, memory, space, transfer, from);
                });
    });
    manifest.fields[f].checksum = sum_of(world, mine);
  }
  on_all(world, [&] { file.close(doing); });
}

void read_fields(World& world, const std::string& path, const std::vector<FieldCore*>& fields,
                 const Manifest& manifest) {
  const Handle file = open_parallel(world, path, H5F_ACC_RDONLY, "read " + path);
  for (FieldCore* field : fields) {
    std::vector<char> values;
    std::uint64_t mine = 0;
    on_all(world, [&] {
      values.resize(block_bytes(*field));
      for_slabs(file, *field, values.data(), "read field '" + field->name() + "' of " + path,
                [](hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t transfer, char* to) {
                  return H5Dread(dataset, type, memory, space, transfer, to);
                });
      mine = block_checksum(*field, values.data());
    });
    const StoredField* stored = manifest.find(field->name());
    if (!stored || sum_of(world, mine) != stored->checksum)
      throw Error("field '" + field->name() + "' of " + path + " is not what was saved",
                  "use another checkpoint");
    on_all(world, [&] { field->write(values.data()); });
  }
}

} // namespace tasuki
#endif

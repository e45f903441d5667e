#include <tasuki/file/blocks.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/integrity.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/runs.hpp>

#include <fcntl.h>

#include <cerrno>

namespace tasuki {
namespace {

std::size_t block_bytes(const FieldCore& field) {
  return static_cast<std::size_t>(field.grid().owned().cells()) * field.components() * field.element_bytes();
}

// Calls move(values, bytes, offset) for each run of bytes of this rank's block that is contiguous in the file, in
// the order of memory (components slowest, x fastest).
template <class Move>
void for_bytes(const FieldCore& field, const StoredField& stored, char* values, const Move& move) {
  const GridCore& grid = field.grid();
  const auto all = static_cast<std::uint64_t>(grid.all().cells());
  for (int k = 0; k < field.components(); ++k)
    for_runs(grid.owned(), grid.extents(), [&](std::uint64_t place, long cells) {
      const std::size_t bytes = static_cast<std::size_t>(cells) * stored.element_bytes;
      move(values, bytes, stored.offset + (k * all + place) * stored.element_bytes);
      values += bytes;
    });
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

void write_blocks(World& world, const std::string& name, const std::string& path,
                  const std::vector<const FieldCore*>& fields, Manifest& manifest) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    StoredField& stored = manifest.fields[f];
    std::uint64_t mine = 0;
    on_all(world, [&] {
      std::vector<char> values(block_bytes(*fields[f]));
      fields[f]->read(values.data());
      mine = block_checksum(*fields[f], values.data());
      const Descriptor file(name, O_WRONLY);
      if (file.get() < 0) throw_write_error(path, errno);
      for_bytes(*fields[f], stored, values.data(),
                [&](const char* from, std::size_t bytes, std::uint64_t offset) {
                  write_at(file.get(), from, bytes, offset, path);
                });
    });
    stored.checksum = sum_of(world, mine);
  }
}

void read_blocks(World& world, const std::string& path, const std::vector<FieldCore*>& fields,
                 const Manifest& manifest) {
  for (FieldCore* field : fields) {
    const StoredField* stored = manifest.find(field->name());
    std::vector<char> values;
    std::uint64_t mine = 0;
    on_all(world, [&] {
      values.resize(block_bytes(*field));
      const Descriptor file(path, O_RDONLY);
      if (file.get() < 0) throw_read_error(path, errno);
      for_bytes(*field, *stored, values.data(), [&](char* to, std::size_t bytes, std::uint64_t offset) {
        read_at(file.get(), to, bytes, offset, path);
      });
      mine = block_checksum(*field, values.data());
    });
    if (sum_of(world, mine) != stored->checksum)
      throw Error("field '" + field->name() + "' of " + path + " is not what was saved",
                  "use another checkpoint");
    on_all(world, [&] { field->write(values.data()); });
  }
}

} // namespace tasuki
#endif

// Raw files of other programs: the same number of bytes for each cell, cell after cell, x fastest. Each rank
// reads and writes the cells of its box by plain positioned reads and writes (blocks.hpp gives the reasons).
#pragma once

#include <tasuki/base/on_all.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/runs.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tasuki {

// The positions of the cells in a file.
struct CellBytes {
  Index extents{};          // of all cells
  std::uint64_t offset = 0; // byte of the first cell
  std::size_t bytes = 0;    // per cell
};

// Some cells of a box, consecutive in the order of the box.
struct CellPiece {
  long first = 0;                    // index of the first in the box
  std::vector<std::uint64_t> places; // index of each in the file, counted in cells
  std::vector<char> bytes;           // of each cell, contiguous
};

// Reads the box in pieces of a few MiB, and passes each to a function. Throws Error. Local.
void read_cells(const std::string& path, const CellBytes& cells, const Box& box,
                const std::function<void(const CellPiece&)>& take);

// Calls a function to fill in each piece of the box, and writes it to the existing file `name`. Errors
// contain `path`. Local.
void write_cells(const std::string& name, const std::string& path, const CellBytes& cells, const Box& box,
                 const std::function<void(CellPiece&)>& fill);

// Writes bytes or text at an offset of an existing file. Throws Error. Local.
void write_bytes(const std::string& name, const std::string& path, const std::string& bytes,
                 std::uint64_t offset);
// At most `most` bytes from `offset`; fewer at the end of the file. Throws Error. Local.
std::string read_bytes(const std::string& path, std::uint64_t offset, std::size_t most);
std::uint64_t file_size(const std::string& path); // throws Error if it cannot be read

// Checks that every rank sees the file `name` of `bytes` bytes that rank 0 created: nodes may not share the disk.
// Errors contain `path`. Throws Error on every rank. Collective.
void check_visible(World& world, const std::string& name, const std::string& path, std::uint64_t bytes);

// A file that all ranks write under a temporary name. write_whole() creates and commits one.
class SharedPart {
public:
  // Reserves `bytes` bytes on the disk. Throws Error on every rank. Collective.
  SharedPart(World& world, const std::string& path, std::size_t bytes);

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }

  // Reserves the space again after rank 0 has truncated the file. On rank 0 only. Throws Error. Local.
  void reserve(std::size_t bytes) { part_->reserve(bytes); }

  // Returns when the file has its final name and is on the disk. Throws Error on every rank. Collective.
  void commit();

private:
  World& world_;
  IgnoreFileLimitSignal quiet_;
  std::string path_, name_;
  std::optional<PartFile> part_; // on rank 0 only
};

// write_whole(world, path, bytes, [&](SharedPart& part) { on_all(world, [&] { write_cells(part.name(), ..); }); });
//
// All ranks write a file of `bytes` bytes, completely or not at all: after an error on any rank, the temporary
// file is removed before the Error is thrown on every rank. Collective.
template <class Work>
void write_whole(World& world, const std::string& path, std::size_t bytes, Work&& work) {
  std::optional<SharedPart> part(std::in_place, world, path, bytes);
  or_undo(
      world,
      [&] {
        work(*part);
        part->commit();
      },
      [&] { part.reset(); });
}

} // namespace tasuki

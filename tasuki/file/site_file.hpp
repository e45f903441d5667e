// Raw files that other programs made or want: as many bytes a cell, cell after cell, x fastest. Each rank
// moves those of its box by plain positioned reads and writes, as blocks.hpp does and for its reasons.
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

// Where the cells lie.
struct CellBytes {
  Index extents{};          // of all cells
  std::uint64_t offset = 0; // byte of the first cell
  std::size_t bytes = 0;    // of a cell
};

// Some cells of a box, one after another in the box's order.
struct CellPiece {
  long first = 0;                    // number of the first in the box
  std::vector<std::uint64_t> places; // of each in the file, counted in cells
  std::vector<char> bytes;           // of each, dense
};

// Reads the box in pieces of a few MiB, and hands each over. Throws Error. Local.
void read_cells(const std::string& path, const CellBytes& cells, const Box& box,
                const std::function<void(const CellPiece&)>& take);

// Has each piece of the box filled in, and writes it into the file `name`, which there is; errors name
// `path`. Local.
void write_cells(const std::string& name, const std::string& path, const CellBytes& cells, const Box& box,
                 const std::function<void(CellPiece&)>& fill);

// Bytes or text at an offset of a file that there is. Throws Error. Local.
void write_bytes(const std::string& name, const std::string& path, const std::string& bytes,
                 std::uint64_t offset);
// At most `most` bytes from `offset`: fewer where the file ends. Throws Error. Local.
std::string read_bytes(const std::string& path, std::uint64_t offset, std::size_t most);
std::uint64_t file_size(const std::string& path); // throws Error where it cannot be read

// Every rank has to find the file `name`, of `bytes` bytes, that rank 0 made: its disk may not be shared by all nodes.
// Errors name `path`. Throws Error on every rank. Collective.
void check_visible(World& world, const std::string& name, const std::string& path, std::uint64_t bytes);

// A file that all ranks write under a temporary name; write_whole() makes and commits one.
class SharedPart {
public:
  // Takes `bytes` from the disk. Throws Error on every rank. Collective.
  SharedPart(World& world, const std::string& path, std::size_t bytes);

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }

  // Takes bytes from the disk again, where rank 0 has made the file anew. Rank 0's alone. Throws Error. Local.
  void reserve(std::size_t bytes) { part_->reserve(bytes); }

  // Returns when it stands under the path, on the disk. Throws Error on every rank. Collective.
  void commit();

private:
  World& world_;
  IgnoreFileLimitSignal quiet_;
  std::string path_, name_;
  std::optional<PartFile> part_; // rank 0 has it
};

// write_whole(world, path, bytes, [&](SharedPart& part) { on_all(world, [&] { write_cells(part.name(), ..); }); });
//
// Has a file of `bytes` written by all ranks, whole or not at all: where the ranks agree that it failed, its part is
// gone before any of them says so. Throws Error on every rank. Collective.
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

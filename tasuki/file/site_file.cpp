#include <tasuki/file/site_file.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace tasuki {
namespace {

constexpr std::size_t kPiece =
    8 << 20; // bytes: long enough to be shared by threads, short compared with the memory of the fields

// A contiguous run of cells in the file, as a part of a piece.
struct Run {
  std::uint64_t place;
  long cells;
};

// Calls visit(runs, number of cells) for pieces of the box, each of as many runs as fit.
template <class Visit>
void for_pieces(const Box& box, const CellBytes& cells, const Visit& visit) {
  const long most = std::max<long>(1, static_cast<long>(kPiece / cells.bytes));
  std::vector<Run> runs;
  long held = 0;
  const auto flush = [&] {
    if (held > 0) visit(runs, held);
    runs.clear();
    held = 0;
  };
  for_runs(box, cells.extents, [&](std::uint64_t place, long left) {
    while (left > 0) {
      const long now = std::min(left, most - held);
      runs.push_back({place, now});
      held += now;
      place += static_cast<std::uint64_t>(now);
      left -= now;
      if (held == most) flush();
    }
  });
  flush();
}

void lay_out(CellPiece& piece, const std::vector<Run>& runs, long cells, std::size_t cell_bytes) {
  piece.places.clear();
  for (const Run& run : runs)
    for (long i = 0; i < run.cells; ++i) piece.places.push_back(run.place + static_cast<std::uint64_t>(i));
  piece.bytes.resize(static_cast<std::size_t>(cells) * cell_bytes);
}

// Calls move(bytes in memory, count, offset in the file) for each run.
template <class Move>
void move_runs(const CellBytes& cells, const std::vector<Run>& runs, char* at, const Move& move) {
  for (const Run& run : runs) {
    const std::size_t bytes = static_cast<std::size_t>(run.cells) * cells.bytes;
    move(at, bytes, cells.offset + run.place * cells.bytes);
    at += bytes;
  }
}

} // namespace

void read_cells(const std::string& path, const CellBytes& cells, const Box& box,
                const std::function<void(const CellPiece&)>& take) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw_read_error(path, errno);
  CellPiece piece;
  for_pieces(box, cells, [&](const std::vector<Run>& runs, long count) {
    lay_out(piece, runs, count, cells.bytes);
    move_runs(cells, runs, piece.bytes.data(), [&](char* to, std::size_t bytes, std::uint64_t offset) {
      read_at(file.get(), to, bytes, offset, path);
    });
    take(piece);
    piece.first += count;
  });
}

void write_cells(const std::string& name, const std::string& path, const CellBytes& cells, const Box& box,
                 const std::function<void(CellPiece&)>& fill) {
  const Descriptor file(name, O_WRONLY);
  if (file.get() < 0) throw_write_error(path, errno);
  CellPiece piece;
  for_pieces(box, cells, [&](const std::vector<Run>& runs, long count) {
    lay_out(piece, runs, count, cells.bytes);
    fill(piece);
    move_runs(cells, runs, piece.bytes.data(),
              [&](const char* from, std::size_t bytes, std::uint64_t offset) {
                write_at(file.get(), from, bytes, offset, path);
              });
    piece.first += count;
  });
}

void write_bytes(const std::string& name, const std::string& path, const std::string& bytes,
                 std::uint64_t offset) {
  const Descriptor file(name, O_WRONLY);
  if (file.get() < 0) throw_write_error(path, errno);
  write_at(file.get(), bytes.data(), bytes.size(), offset, path);
}

std::string read_bytes(const std::string& path, std::uint64_t offset, std::size_t most) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw_read_error(path, errno);
  const std::uint64_t size = file.size();
  std::string bytes(offset < size ? std::min<std::uint64_t>(most, size - offset) : 0, '\0');
  read_at(file.get(), bytes.data(), bytes.size(), offset, path);
  return bytes;
}

std::uint64_t file_size(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw_read_error(path, errno);
  return file.size();
}

void check_visible(World& world, const std::string& name, const std::string& path, std::uint64_t bytes) {
  on_all(world, [&] {
    const Descriptor file(name, O_RDONLY);
    if (file.get() >= 0 && file.size() == bytes) return;
    if (file.get() < 0 && errno != ENOENT) throw_read_error(path, errno);
    throw Error("rank " + std::to_string(world.rank()) + " does not see " + path + " as rank 0 does",
                "use a disk that all nodes share");
  });
}

SharedPart::SharedPart(World& world, const std::string& path, std::size_t bytes)
    : world_(world), path_(path), name_(part_name(path)) {
  share(world_, name_); // of rank 0: a symbolic link may have another target on another host
  on_root(world_, [&] {
    part_.emplace(path_);
    try {
      part_->reserve(bytes);
    } catch (const Error&) {
      part_.reset(); // the file is removed before any rank throws
      throw;
    }
  });
}

void SharedPart::commit() {
  // On every node: a network file system may buffer the writes of a node.
  on_all(world_, [&] {
    if (world_.node_rank() == 0) sync_file(name_, path_);
  });
  on_root(world_, [&] { part_->commit(); });
}

} // namespace tasuki

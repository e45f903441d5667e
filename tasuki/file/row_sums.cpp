#include <tasuki/file/row_sums.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/file/header.hpp>
#include <tasuki/file/integrity.hpp>
#include <tasuki/file/part_file.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace tasuki {

std::uint64_t row_hash(const void* values, std::size_t bytes, long row) {
  return std::max<std::uint64_t>(1, hash_bytes(values, bytes, static_cast<std::uint64_t>(row)));
}

bool holds(const RowSums& sums, const void* values, std::size_t bytes, long row) {
  if (sums[0] == 0 && sums[1] == 0) {
    const char* at = static_cast<const char*>(values);
    return std::all_of(at, at + bytes, [](char byte) { return byte == 0; });
  }
  const std::uint64_t hash = row_hash(values, bytes, row);
  return sums[0] == hash || sums[1] == hash;
}

RowSums sums_for(const RowSums& sums, const void* now, const void* next, std::size_t bytes, long row) {
  const std::uint64_t hash = row_hash(next, bytes, row);
  if (sums[0] == 0 && sums[1] == 0) return {now ? row_hash(now, bytes, row) : hash, hash};
  return sums[0] == row_hash(now, bytes, row) ? RowSums{sums[0], hash} : RowSums{hash, sums[1]};
}

std::uint64_t hash_around(const std::string& name, const std::string& path, std::vector<ByteRange> ranges,
                          std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = 1 << 20;
  const Descriptor file(name, O_RDONLY);
  if (file.get() < 0) throw_read_error(path, errno);
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.from < b.from; });
  ranges.push_back({bytes, bytes});
  std::vector<char> piece;
  std::uint64_t sum = 0, at = kHeaderBytes;
  for (const ByteRange& range : ranges) {
    while (at < range.from) {
      piece.resize(std::min(kPiece, range.from - at));
      read_at(file.get(), piece.data(), piece.size(), at, path);
      sum += hash_bytes(piece.data(), piece.size(), at);
      at += piece.size();
    }
    at = std::max(at, range.to);
  }
  return sum;
}

} // namespace tasuki
#endif

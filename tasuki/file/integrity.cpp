#include <tasuki/file/integrity.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <xxhash.h>

#include <tasuki/base/on_all.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/file/part_file.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace tasuki {
namespace {

constexpr std::uint64_t kHashedAtOnce = 1 << 20;

// The part of n items that this rank processes.
std::pair<std::uint64_t, std::uint64_t> share_of(const World& world, std::uint64_t n) {
  const auto rank = static_cast<std::uint64_t>(world.rank()), size = static_cast<std::uint64_t>(world.size());
  const auto start = [&](std::uint64_t r) { return n / size * r + std::min(r, n % size); };
  return {start(rank), start(rank + 1)};
}

} // namespace

std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::uint64_t sum_of(World& world, std::uint64_t mine) { return reduce_sum(world, mine); }

std::uint64_t hash_file(World& world, const std::string& name, const std::string& path, std::uint64_t from,
                        std::uint64_t to) {
  std::uint64_t mine = 0;
  on_all(world, [&] {
    const Descriptor file(name, O_RDONLY);
    if (file.get() < 0) throw_read_error(path, errno);
    const auto [first, last] = share_of(world, (to - from + kHashedAtOnce - 1) / kHashedAtOnce);
    std::vector<char> piece(kHashedAtOnce);
    for (std::uint64_t p = first; p < last; ++p) {
      const std::uint64_t at = from + p * kHashedAtOnce, bytes = std::min(kHashedAtOnce, to - at);
      read_at(file.get(), piece.data(), bytes, at, path);
      mine += hash_bytes(piece.data(), bytes, p);
    }
  });
  return sum_of(world, mine);
}

std::uint64_t checksum(const void* values, std::size_t value_bytes, const Box& block, const Index& extents,
                       int component) {
  if (block.empty()) return 0;
  const long row = block.extent(0), rows = block.cells() / row;
  const char* from = static_cast<const char*>(values);
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (long r = 0; r < rows; ++r) {
    Index at = block.lo;
    long left = r;
    for (int a = 1; a < block.dims; ++a) {
      at[a] += left % block.extent(a);
      left /= block.extent(a);
    }
    auto place = static_cast<std::uint64_t>(component);
    for (int a = block.dims - 1; a >= 0; --a) place = place * static_cast<std::uint64_t>(extents[a]) + at[a];
    const char* value = from + static_cast<std::size_t>(r) * row * value_bytes;
    for (long x = 0; x < row; ++x) sum += hash_bytes(value + x * value_bytes, value_bytes, place + x);
  }
  return sum;
}

std::uint64_t checksum_in_file(World& world, const std::string& path, std::uint64_t offset,
                               std::uint64_t count, std::size_t value_bytes) {
  std::uint64_t mine = 0;
  on_all(world, [&] {
    const Descriptor file(path, O_RDONLY);
    if (file.get() < 0) throw_read_error(path, errno);
    const auto [first, last] = share_of(world, count);
    const std::uint64_t step = std::max<std::uint64_t>(1, kHashedAtOnce / value_bytes);
    std::vector<char> piece(step * value_bytes);
    for (std::uint64_t p = first; p < last; p += step) {
      const std::uint64_t n = std::min(step, last - p);
      read_at(file.get(), piece.data(), n * value_bytes, offset + p * value_bytes, path);
      for (std::uint64_t i = 0; i < n; ++i) mine += hash_bytes(&piece[i * value_bytes], value_bytes, p + i);
    }
  });
  return sum_of(world, mine);
}

} // namespace tasuki
#endif

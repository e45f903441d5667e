#include <tasuki/job/checksum.hpp>

#include <tasuki/base/reduce.hpp>

#include <cstring>
#include <vector>

namespace tasuki::job {
namespace {

// Spreads every bit of its argument over all of the result (the finalizer of MurmurHash3, 64 bits).
std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::uint64_t hash(std::uint64_t place, const char* bytes, std::size_t count) {
  std::uint64_t h = mix(place + 0x9e3779b97f4a7c15ULL);
  for (std::size_t at = 0; at < count; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<std::size_t>(8, count - at));
    h = mix(h ^ word) + 0x9e3779b97f4a7c15ULL;
  }
  return h;
}

} // namespace

std::uint64_t checksum(const AnyField& of) {
  const FieldCore& field = *of.core();
  const GridCore& grid = field.grid();
  const Box owned = grid.owned();
  const long cells = owned.cells(), all = grid.all().cells(), nx = owned.extent(0);
  const auto bytes = static_cast<long>(field.element_bytes());
  std::vector<char> values(static_cast<std::size_t>(cells * field.components() * bytes));
  field.read(values.data());

  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long row = 0; row < cells / nx * field.components(); ++row) {
    long rest = row, place = 0, step = grid.extents()[0];
    for (int a = 1; a < owned.dims; ++a) {
      place += (owned.lo[a] + rest % owned.extent(a)) * step;
      rest /= owned.extent(a);
      step *= grid.extents()[a];
    }
    place += rest * all + owned.lo[0]; // rest is the component
    for (long x = 0; x < nx; ++x)
      sum += hash(static_cast<std::uint64_t>(place + x),
                  &values[static_cast<std::size_t>((row * nx + x) * bytes)], static_cast<std::size_t>(bytes));
  }
  return reduce_sum(grid.world(), sum);
}

std::string hex(std::uint64_t number) {
  std::string text(16, '0');
  for (int k = 15; number; --k, number >>= 4)
    text[static_cast<std::size_t>(k)] = "0123456789abcdef"[number & 15];
  return text;
}

} // namespace tasuki::job

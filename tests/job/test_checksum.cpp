// The number that a run is known by: of every value and its place, the same however the grid is cut. Records and pages
// have such numbers, so it may never be another.
#include <tasuki/job/checksum.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace tasuki::job {
namespace {

using test::world;

// The rule once more, over the whole grid by one loop.
std::uint64_t mixed(std::uint64_t h) {
  for (const std::uint64_t by : {0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u}) h = (h ^ h >> 33) * by;
  return h ^ h >> 33;
}
template <class T>
std::uint64_t expected(const std::vector<T>& values) {
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < values.size(); ++place) {
    std::uint64_t word = 0;
    std::memcpy(&word, &values[place], sizeof(T));
    sum += mixed(mixed(place + 0x9e3779b97f4a7c15u) ^ word) + 0x9e3779b97f4a7c15u;
  }
  return sum;
}

// Of component k at global cell x, y.
float value_at(long x, long y, int k) { return static_cast<float>(x * 31 + y * 7 + k * 1009 % 97) / 3; }

TEST(Checksum, IsOfEveryValueAndItsPlace) {
  const long nx = 24, ny = 24;
  Grid<2> grid(world(), {nx, ny}, {.halo = 1});
  Field<float[3]> field(grid, "f");
  const Box owned = grid.owned();
  std::vector<float> mine, all;
  for (int k = 0; k < 3; ++k) {
    for (long y = owned.lo[1]; y < owned.hi[1]; ++y)
      for (long x = owned.lo[0]; x < owned.hi[0]; ++x) mine.push_back(value_at(x, y, k));
    for (long y = 0; y < ny; ++y)
      for (long x = 0; x < nx; ++x) all.push_back(value_at(x, y, k));
  }
  field.core()->write(mine.data());
  const std::uint64_t before = checksum(field);
  EXPECT_EQ(before, expected(all));

  if (owned.lo[0] == 0 && owned.lo[1] == 0) mine.front() = -mine.front() - 1; // one value on one rank
  field.core()->write(mine.data());
  EXPECT_NE(checksum(field), before);
  all.front() = -all.front() - 1;
  EXPECT_EQ(checksum(field), expected(all));
  std::swap(all[5], all[6]);
  EXPECT_NE(checksum(field), expected(all)); // a value in another place
}

TEST(Checksum, IsWrittenWithSixteenDigits) {
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0xfedcba9876543210u), "fedcba9876543210");
  EXPECT_EQ(hex(0xab), "00000000000000ab");
}

} // namespace
} // namespace tasuki::job

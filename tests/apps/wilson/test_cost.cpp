// What a solve costs by its options: operations as the literature counts them, and memory that is enough and not twice as much.
#include <apps/wilson/solver/cost.hpp>

#include <gtest/gtest.h>

namespace tasuki::wilson {
namespace {

constexpr std::array<long, kAxes> kSites = {16, 16, 16, 32};

TEST(Cost, CountsTheOperationsOfAnIteration) {
  EXPECT_EQ(flops_of(Method::bicgstab), 6336);
  EXPECT_EQ(flops_of(Method::cg), 5808);
}

TEST(Cost, GrowsWithTheColumnsAndNotTheLinks) {
  const double one = memory_of_solver(kSites, {.columns = 1}), two = memory_of_solver(kSites, {.columns = 2}),
               twelve = memory_of_solver(kSites, {.columns = 12});
  EXPECT_DOUBLE_EQ(twelve - one, 11 * (two - one));
  EXPECT_GT(one, two - one); // links are there once
  // Of a column nine spinors of each even or odd site in double, and those of the iterations.
  const double cells = 8.0 * 16 * 16 * 32;
  EXPECT_GT(two - one, cells * 9 * 24 * 8);
  EXPECT_LT(two - one, 2 * cells * 16 * 24 * 8); // halos and padding may be as much again
}

TEST(Cost, IsLessForNumbersThatAreShorter) {
  double before = 0;
  for (const Precision inner : {Precision::half, Precision::single, Precision::double_}) {
    const double now = memory_of_solver(kSites, {.inner = inner});
    EXPECT_GT(now, before);
    before = now;
  }
  before = 0;
  for (const int links : {8, 12, 18}) {
    const double now = memory_of_solver(kSites, {.links = links});
    EXPECT_GT(now, before);
    before = now;
  }
}

} // namespace
} // namespace tasuki::wilson

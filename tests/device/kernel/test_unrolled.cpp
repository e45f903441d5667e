// Loops whose index is a constant: every number once, in order, and fit to be a template's argument.
#include <tasuki/device/kernel/unrolled.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tasuki {
namespace {

TEST(Unrolled, CallsWithEveryIndexInOrder) {
  std::vector<int> called;
  unrolled<5>([&](auto q) { called.push_back(q); });
  EXPECT_EQ(called, (std::vector<int>{0, 1, 2, 3, 4}));
  unrolled<0>([&](auto q) { called.push_back(q); });
  EXPECT_EQ(called.size(), 5u);
}

TEST(Unrolled, AnIndexIsAConstant) {
  std::size_t bytes = 0;
  unrolled<4>([&](auto q) { bytes += sizeof(std::array<char, q + 1>); });
  EXPECT_EQ(bytes, 1u + 2 + 3 + 4);
}

TEST(Unrolled, ACallKeepsItsState) {
  int sum = 0;
  auto add = [sum = 0, &out = sum](auto q) mutable { out = sum += q; };
  unrolled<4>(add);
  EXPECT_EQ(sum, 6);
}

} // namespace
} // namespace tasuki

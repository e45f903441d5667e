// Touches counted by instruction, over ranks, and what one fetch instead of many would have taken.
#include <tasuki/space/places.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki::test {
namespace {

[[gnu::noinline]] void here() { asm volatile(""); }

TEST(Places, AreThoseOfAllRanksTheCostliestFirst) {
  const auto code = reinterpret_cast<std::uintptr_t>(&here);
  space::Places places;
  places.add("b", 0, 1, 1000); // of no file
  for (std::uintptr_t k = 0; k < 5; ++k) places.add("a", code + k, 10, (k + 1) * 1000000000u);
  places.add("a", code + 1, 1, 0);
  std::vector<space::Place> all = space::together(world(), places, 3);
  if (world().rank() != 0) {
    EXPECT_TRUE(all.empty());
    return;
  }
  const auto ranks = static_cast<std::uint64_t>(world().size());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].array + all[1].array + all[2].array + all[3].array, "aaab");
  EXPECT_DOUBLE_EQ(all[0].seconds, 5.0 * world().size());
  EXPECT_DOUBLE_EQ(all[2].seconds, 3.0 * world().size());
  EXPECT_EQ(all[0].touches, ranks);
  EXPECT_EQ(all[0].pages, 10 * ranks);
  EXPECT_EQ(all[0].offset - all[2].offset, 2u);
  space::name_lines(all);
  EXPECT_NE(all[0].line.find("test_"), std::string::npos)
      << all[0].line; // file of the source, or of the program
  EXPECT_EQ(all[3].line, "a place in no file");
}

TEST(Fit, IsTheLineThroughWhatFetchesTook) {
  space::Fit fit;
  fit.add(1, 51e-6);
  EXPECT_FALSE(fit.knows());
  fit.add(1, 51e-6);
  EXPECT_FALSE(fit.knows()) << "of one size";
  fit.add(64, 114e-6);
  ASSERT_TRUE(fit.knows());
  EXPECT_NEAR(fit.once(66), 116e-6, 1e-9); // 50 us and one a page
  space::Fit odd;                          // larger ones took less
  odd.add(1, 50e-6);
  odd.add(9, 40e-6);
  EXPECT_NEAR(odd.once(10), 45e-6, 1e-9);
}

} // namespace
} // namespace tasuki::test

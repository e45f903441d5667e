// A table of lent memory: accesses that it grants are held against every byte that they touch.
#include <tasuki/transfer/loans.hpp>

#include <tasuki/base/error.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace tasuki {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

std::string what_of(const std::optional<Refusal>& refusal) {
  return refusal ? refusal->what + "; " + refusal->mend : "";
}

TEST(Loans, HandsOutTheAddressOfTheFirstRow) {
  alignas(8) std::array<char, 64> memory{};
  Loans loans;
  loans.lend(7, {"weights", memory.data(), memory.size()});
  char* first = nullptr;
  EXPECT_FALSE(loans.visit(7, {.offset = 16, .bytes = 8}, 8, [&](char* at) { first = at; }));
  EXPECT_EQ(first, memory.data() + 16);
}

TEST(Loans, RefusesWhatIsNotInsideAndSaysOfWhat) {
  alignas(8) std::array<char, 800> memory{};
  Loans loans;
  loans.lend(7, {"weights", memory.data(), memory.size()});
  const auto asked = [&](std::uint64_t number, const ByteRows& rows, std::uint64_t align = 1) {
    bool visited = false;
    const std::string text = what_of(loans.visit(number, rows, align, [&](char*) { visited = true; }));
    EXPECT_EQ(visited, text.empty());
    return text;
  };
  EXPECT_EQ(asked(7, {792, 8}), "");
  EXPECT_EQ(asked(7, {800, 0}), "");
  EXPECT_EQ(asked(7, {792, 16}),
            "16 bytes at 792 of weights, which has 800 there; ask for bytes that it has");
  EXPECT_EQ(asked(7, {0, 8, 101, 8}),
            "8 bytes at 0, 101 times every 8 of weights, which has 800 there; ask for bytes that it has");
  EXPECT_EQ(
      asked(7, {12, 8}, 8),
      "an atomic number of 8 bytes at 12 of weights, which is no multiple of its size; give such a number "
      "a place that is");
  EXPECT_EQ(asked(8, {0, 8}), "bytes of loan 8, which it does not lend; ask while it does");
  EXPECT_THROW(loans.lend(7, {"again", memory.data(), 8}), Error);
  loans.end(7);
  EXPECT_EQ(asked(7, {0, 8}), "bytes of loan 7, which it does not lend; ask while it does");
}

TEST(Loans, RefusesNumbersThatWouldWrap) {
  const LentBytes lent{"all", nullptr, 100};
  for (const ByteRows& rows :
       {ByteRows{kHuge, 1}, ByteRows{1, kHuge}, ByteRows{0, 1, kHuge, 1}, ByteRows{0, 1, 2, kHuge},
        ByteRows{10, 4, kHuge / 4, 8}, ByteRows{99, 2}, ByteRows{101, 0}, ByteRows{50, 1, 3, kHuge / 2}})
    EXPECT_TRUE(refusal(lent, rows)) << rows.offset << ' ' << rows.bytes << ' ' << rows.count << ' '
                                     << rows.stride;
}

// Small numbers, so that every byte of every row can be looked at one by one.
TEST(Loans, GrantsExactlyWhatLiesInside) {
  auto random = test::random();
  int granted = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto draw = [&](long most) { return static_cast<std::uint64_t>(test::pick(random, 0, most)); };
    const LentBytes lent{"some", nullptr, draw(40)};
    const ByteRows rows{draw(45), draw(8), draw(5), draw(12)};
    bool inside = rows.offset <= lent.bytes;
    for (std::uint64_t k = 0; k < rows.count; ++k)
      for (std::uint64_t b = 0; b < rows.bytes; ++b) inside &= rows.offset + k * rows.stride + b < lent.bytes;
    granted += inside;
    ASSERT_EQ(!refusal(lent, rows).has_value(), inside)
        << lent.bytes << ": " << rows.offset << ' ' << rows.bytes << ' ' << rows.count << ' ' << rows.stride;
  }
  EXPECT_GT(granted, 1000);
}

} // namespace
} // namespace tasuki

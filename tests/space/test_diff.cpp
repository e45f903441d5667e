// Runs that differ against a look at every byte; patches that travel and come to the same page.
#include <tasuki/space/diff.hpp>

#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace tasuki::test {
namespace {

using namespace tasuki::space;

TEST(Diff, RunsAreTheBytesThatDiffer) {
  // All masks of 11 bytes: runs at both ends, across words, of one byte.
  for (unsigned mask = 0; mask < 1u << 11; ++mask) {
    std::vector<char> before(11, 'a'), now = before, found(11, 0);
    for (unsigned k = 0; k < 11; ++k)
      if (mask >> k & 1) now[k] = 'b';
    std::uint32_t end = 0;
    bool begun = false;
    for (const space::Run& run : differing(now.data(), before.data(), 11)) {
      ASSERT_GT(run.count, 0u);
      ASSERT_TRUE(!begun || run.at > end) << "runs touch";
      begun = true;
      end = run.at + run.count;
      for (std::uint32_t k = run.at; k < end; ++k) found[k] = 1;
    }
    for (unsigned k = 0; k < 11; ++k) ASSERT_EQ(found[k], static_cast<char>(mask >> k & 1)) << mask;
  }
}

// Bytes are looked at in blocks of 512 where they all differ, or none does.
TEST(Diff, RunsGoOnOverBlocks) {
  constexpr std::uint32_t kBytes = 1600;
  const std::vector<std::uint32_t> edges{0, 1, 7, 8, 9, 504, 511, 512, 513, 1023, 1024, 1032, 1599, 1600};
  for (const std::uint32_t first : edges)
    for (const std::uint32_t end : edges) {
      if (end <= first) continue;
      std::vector<char> before(kBytes, 'a'), now = before;
      std::fill(now.begin() + first, now.begin() + end, 'b');
      ASSERT_EQ(differing(now.data(), before.data(), kBytes), (std::vector{space::Run{first, end - first}}));
      const std::uint32_t middle = (first + end) / 2; // one byte that is the same
      if (middle == first || middle + 1 == end) continue;
      now[middle] = 'a';
      ASSERT_EQ(differing(now.data(), before.data(), kBytes),
                (std::vector{space::Run{first, middle - first}, space::Run{middle + 1, end - middle - 1}}));
    }
}

TEST(Diff, PatchesBringThePageAndTouchNothingElse) {
  auto numbers = random(11);
  for (const std::size_t bytes : {8u, 33u, 256u, 4096u})
    for (int round = 0; round < 100; ++round) {
      std::vector<char> message;
      std::vector<std::vector<char>> now, other, expected;
      for (int page = 0; page < 4; ++page) {
        std::vector<char> before(bytes), mine, theirs(bytes);
        for (char& c : before) c = static_cast<char>(pick(numbers, 0, 3));
        for (char& c : theirs) c = static_cast<char>(pick(numbers, 10, 90));
        mine = before;
        const long often = pick(numbers, 0, 40); // none, few, every byte
        for (char& c : mine)
          if (often && pick(numbers, 1, often) == 1) c = static_cast<char>(pick(numbers, 4, 9));
        std::vector<char> want = theirs;
        for (std::size_t k = 0; k < bytes; ++k)
          if (mine[k] != before[k]) want[k] = mine[k];
        const bool changed =
            append_patch(message, static_cast<std::uint64_t>(page), mine.data(), before.data(), bytes);
        EXPECT_EQ(changed, mine != before);
        now.push_back(mine);
        other.push_back(theirs);
        expected.push_back(want);
      }
      append_whole(message, 1, now[1].data(), bytes);
      expected[1] = now[1];
      Patches patches(message.data(), message.size(), bytes);
      while (const auto patch = patches.next()) apply(*patch, other[patch->page].data());
      ASSERT_EQ(other, expected);
    }
}

TEST(Diff, EverySecondByteTravelsAsAMask) {
  std::vector<char> before(4096, 0), now = before, message;
  for (std::size_t k = 0; k < now.size(); k += 2) now[k] = 1;
  append_patch(message, 0, now.data(), before.data(), now.size());
  EXPECT_EQ(message.size(), 16u + 512u + 2048u);
}

TEST(Diff, UpdatesAreWholePagesWhereThreeOfFourWordsHaveChanged) {
  std::vector<char> before(4096, 0), now = before, message;
  for (std::size_t k = 0; k < now.size(); ++k) now[k] = k % 8 != 7; // numbers whose last byte stays
  EXPECT_TRUE(append_update(message, 3, now.data(), before.data(), now.size()));
  EXPECT_EQ(message.size(), 16u + 8u + 4096u);
  Patches patches(message.data(), message.size(), now.size());
  std::vector<char> other = before;
  apply(*patches.next(), other.data());
  EXPECT_EQ(other, now);
  for (const std::size_t words : {768u, 767u, 512u, 1u}) {
    std::vector<char> some = before, update, patch;
    for (std::size_t k = 0; k < words; ++k) some[4 * (k * 1021 % 1024)] = 1; // here and there
    append_update(update, 3, some.data(), before.data(), some.size());
    append_patch(patch, 3, some.data(), before.data(), some.size());
    EXPECT_EQ(update == patch, words != 768u);
  }
  EXPECT_FALSE(append_update(message, 3, now.data(), now.data(), now.size()));
}

TEST(Diff, MessagesThatAreNoneAreRefused) {
  std::vector<char> page(64, 1), zero(64, 0), message;
  append_patch(message, 0, page.data(), zero.data(), 64);
  for (const std::size_t cut : {1u, 15u, 20u, 40u}) {
    Patches patches(message.data(), message.size() - cut, 64);
    EXPECT_NE(refusal([&] { patches.next(); }), "");
  }
  Patches smaller(message.data(), message.size(), 32);
  EXPECT_NE(refusal([&] { smaller.next(); }), "");
}

} // namespace
} // namespace tasuki::test

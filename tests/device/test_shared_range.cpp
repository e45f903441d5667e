// One range of addresses over memory of all ranks of a node, and the descriptors that they hand each other for it.
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/descriptors.hpp>
#include <tasuki/device/shared_range.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace tasuki::test {
namespace {

TEST(SharedRange, IsOneMemoryOfAllRanks) {
  const auto me = static_cast<std::size_t>(world().node_rank()),
             n = static_cast<std::size_t>(world().node_size());
  // Two pieces a rank, as a field of two planes has them, which end in the midst of pages.
  for (const std::size_t part : {std::size_t{5000}, std::size_t{3} << 20}) {
    SharedRange range(device(), 2 * n * part,
                      {{me * part, (me + 1) * part}, {(n + me) * part, (n + me + 1) * part}});
    EXPECT_EQ(range.own_bytes(), 2 * part);
    std::vector<char> all(range.bytes(), 1);
    copy_to_host(device(), all.data(), range.data(), all.size());
    EXPECT_EQ(std::count(all.begin(), all.end(), 0), static_cast<long>(all.size()));
    barrier(world(), "the others to have looked");
    // Into the memory of the next rank, if there is one.
    const std::size_t next = (me + 1) % n;
    const std::vector<char> mine(part, static_cast<char>(me + 1));
    copy_to_device(device(), range.data() + (n + next) * part, mine.data(), part);
    barrier(world(), "the others to have written");
    copy_to_host(device(), all.data(), range.data(), all.size());
    for (std::size_t k = 0; k < 2 * n; ++k) {
      const char expected = k < n ? 0 : static_cast<char>((k - n + n - 1) % n + 1);
      EXPECT_EQ(std::count(all.begin() + static_cast<long>(k * part),
                           all.begin() + static_cast<long>((k + 1) * part), expected),
                static_cast<long>(part))
          << "part " << k;
    }
    barrier(world(), "the others to have looked");
  }
}

TEST(SharedRange, IsAllSomebodys) {
  const auto me = static_cast<std::size_t>(world().node_rank()),
             n = static_cast<std::size_t>(world().node_size());
  EXPECT_NE(refusal([&] {
              SharedRange(device(), 100 * n + 1, {{100 * me, 100 * (me + 1)}});
            }).find("leave byte " + std::to_string(100 * n) + " of a range of"),
            std::string::npos);
}

TEST(Descriptors, AreThoseOfAllRanks) {
  const Ranks ranks = Ranks::of_node(world());
  const auto count_of = [](int place) {
    return 70 * (place + 1) % 210;
  }; // more than one message takes, or none
  std::vector<int> mine;
  for (int k = 0; k < count_of(ranks.place()); ++k) {
    mine.push_back(memfd_create("handed", MFD_CLOEXEC));
    const int note[] = {ranks.place(), k};
    ASSERT_EQ(write(mine.back(), note, sizeof note), static_cast<ssize_t>(sizeof note));
  }
  const auto all = hand_round(ranks, mine);
  for (int place = 0; place < ranks.size(); ++place) {
    const std::vector<int>& list = all[static_cast<std::size_t>(place)];
    ASSERT_EQ(static_cast<int>(list.size()), count_of(place));
    for (int k = 0; k < static_cast<int>(list.size()); ++k) {
      int note[2] = {-1, -1};
      EXPECT_EQ(pread(list[static_cast<std::size_t>(k)], note, sizeof note, 0),
                static_cast<ssize_t>(sizeof note));
      EXPECT_EQ(note[0], place);
      EXPECT_EQ(note[1], k);
      close(list[static_cast<std::size_t>(k)]);
    }
  }
}

} // namespace
} // namespace tasuki::test

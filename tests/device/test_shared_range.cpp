// One range of addresses over memory of all ranks of a node, and the descriptors that they hand each other for it.
#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/addresses.hpp>
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

TEST(SharedRange, LiesAtAddressesThatAllRanksHave) {
  const auto me = static_cast<std::size_t>(world().node_rank()),
             n = static_cast<std::size_t>(world().node_size());
  const std::size_t many = std::size_t{64} << 30;
  const Addresses all(device(), many, {0x280000000000, 0x180000000000});
  const Addresses others(device(), many,
                         {reinterpret_cast<std::uintptr_t>(all.data()), 0x300000000000}); // in use
  EXPECT_FALSE(all.has(others.data()) || others.has(all.data()));
  for (const Addresses* const one : {&all, &others})
    EXPECT_EQ(of_root(world(), reinterpret_cast<std::uint64_t>(one->data())),
              reinterpret_cast<std::uint64_t>(one->data()));
  for (int round = 0; round < 2; ++round) { // where something was mapped, something else can be
    const std::size_t part = all.step() + 100;
    const SharedRange range(device(), n * part, {{me * part, (me + 1) * part}},
                            {all.data() + all.step(), "a range"});
    EXPECT_EQ(range.data(), all.data() + all.step());
    std::vector<char> bytes(range.bytes(), 1);
    copy_to_host(device(), bytes.data(), range.data(), bytes.size());
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), static_cast<long>(bytes.size()));
    barrier(world(), "the others to have looked");
    const std::vector<char> mine(part, static_cast<char>(me + 1));
    copy_to_device(device(), range.data() + (me + 1) % n * part, mine.data(), part); // the next rank's
    barrier(world(), "the others to have written");
    copy_to_host(device(), bytes.data(), range.data(), bytes.size());
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_EQ(bytes[(k + 1) % n * part + part - 1], static_cast<char>(k + 1));
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

#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/device/buffer.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace tasuki {
namespace {

std::vector<char> contents(const char* data, std::size_t bytes) {
  std::vector<char> got(bytes, 77);
  copy_to_host(test::device(), got.data(), data, bytes);
  return got;
}

bool all_are(const std::vector<char>& bytes, char value) {
  return std::all_of(bytes.begin(), bytes.end(), [=](char b) { return b == value; });
}

bool aligned(const char* data) { return reinterpret_cast<std::uintptr_t>(data) % 256 == 0; }

class EachMemory : public testing::TestWithParam<Memory> {};
INSTANTIATE_TEST_SUITE_P(Buffer, EachMemory, testing::Values(Memory::device, Memory::pinned));

TEST_P(EachMemory, is_zero_and_aligned) {
  for (const std::size_t bytes : {1u, 255u, 4096u, 1u << 20, (9u << 20) + 3}) {
    // Dirty memory first, so that the next one gets it back.
    {
      Buffer dirty(test::device(), bytes, GetParam());
      const std::vector<char> ones(bytes, 1);
      copy_to_device(test::device(), dirty.data(), ones.data(), bytes);
    }
    Buffer buffer(test::device(), bytes, GetParam());
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_TRUE(aligned(buffer.data()));
    EXPECT_TRUE(all_are(contents(buffer.data(), bytes), 0)) << bytes << " bytes";
  }
}

TEST(Buffer, pinned_memory_is_the_hosts_too) {
  Buffer pinned(test::device(), 1000, Memory::pinned);
  std::fill_n(pinned.data(), 1000, 5);
  EXPECT_TRUE(all_are(contents(pinned.data(), 1000), 5));
}

TEST(Buffer, moves) {
  Buffer a(test::device(), 100);
  const char* const memory = a.data();
  Buffer b(std::move(a));
  EXPECT_EQ(b.data(), memory);
  EXPECT_EQ(b.bytes(), 100u);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(a.bytes(), 0u);
  Buffer c(test::device(), 50);
  c = std::move(b);
  EXPECT_EQ(c.data(), memory);
  EXPECT_EQ(c.bytes(), 100u);
}

TEST(Buffer, of_no_bytes_has_no_memory) {
  Buffer none(test::device(), 0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.bytes(), 0u);
}

TEST(Buffer, that_does_not_fit_says_what_is_free) {
  try {
    Buffer huge(test::device(), std::size_t{1} << 50);
    FAIL() << "a pebibyte was given out";
  } catch (const Error& fault) {
    const std::string text = fault.what();
    EXPECT_NE(text.find("1024.0 TiB does not fit"), std::string::npos) << text;
    EXPECT_NE(text.find("free on"), std::string::npos) << text;
    EXPECT_NE(text.find("; use a smaller grid"), std::string::npos) << text;
  }
}

// Each of the two ways that the host shares memory; a GPU has one, and runs the tests twice.
class Shared : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { setenv("TASUKI_SHARED", GetParam(), 1); }
  void TearDown() override { unsetenv("TASUKI_SHARED"); }
};
INSTANTIATE_TEST_SUITE_P(Buffer, Shared, testing::Values("window", "file"));

TEST_P(Shared, every_rank_stores_into_every_other) {
  Device& device = test::device();
  const World& world = test::world();
  const int n = world.node_size(), me = world.node_rank();
  // Sizes differ, and one rank of three has nothing.
  const auto bytes_of = [](int r) { return r % 3 == 1 ? std::size_t{0} : std::size_t{5000000} + 1000u * r; };
  SharedBuffer shared(device, bytes_of(me));
  EXPECT_EQ(shared.bytes(), bytes_of(me));
  EXPECT_EQ(shared.data() == nullptr, bytes_of(me) == 0);
  EXPECT_TRUE(aligned(shared.data()));
  EXPECT_TRUE(all_are(contents(shared.data(), shared.bytes()), 0));
  MPI_Barrier(world.node_comm());
  for (int r = 0; r < n; ++r) {
    if (!device.reaches(r)) {
      EXPECT_THROW(shared.peer(r), Error);
      continue;
    }
    char* const there = shared.peer(r);
    EXPECT_EQ(there == nullptr, bytes_of(r) == 0);
    EXPECT_TRUE(aligned(there));
    if (r == me) {
      EXPECT_EQ(there, shared.data());
    }
    const std::vector<char> stamp(500, static_cast<char>(me + 1));
    if (there) copy_to_device(device, there + bytes_of(r) - 500u * (me + 1), stamp.data(), stamp.size());
  }
  MPI_Barrier(world.node_comm());
  for (int r = 0; r < n; ++r) {
    if (!device.reaches(r) || !shared.data()) continue;
    const char* const from = shared.data() + shared.bytes() - 500u * (r + 1);
    EXPECT_TRUE(all_are(contents(from, 500), static_cast<char>(r + 1))) << "from rank " << r;
  }
  const std::size_t rest = shared.data() ? shared.bytes() - 500u * n : 0;
  EXPECT_TRUE(all_are(contents(shared.data(), rest), 0));
  MPI_Barrier(world.node_comm());
}

TEST_P(Shared, many_live_and_die) {
  Device& device = test::device();
  for (int round = 0; round < 40; ++round) {
    SharedBuffer a(device, 3000), b(device, static_cast<std::size_t>(round) * 10000);
    const int next = (test::world().node_rank() + 1) % test::world().node_size();
    if (!device.reaches(next)) continue;
    EXPECT_NE(a.peer(next), nullptr);
    if (round) {
      EXPECT_NE(a.peer(next), b.peer(next));
    }
  }
}

TEST_P(Shared, that_does_not_fit_is_refused_on_every_rank) {
  Device& device = test::device();
  // One rank asks for too much; all have to hear of it, or they would wait for that one.
  const std::size_t bytes = test::world().node_rank() == 0 ? std::size_t{1} << 50 : 1000;
  EXPECT_THROW(SharedBuffer(device, bytes), Error);
  SharedBuffer next(device, 1000); // and nothing is broken
  EXPECT_NE(next.data(), nullptr);
}

// Two sets of a node's ranks, a rank in both where there are three: each lends by itself, and they meet nowhere.
TEST_P(Shared, a_subset_lends_without_the_others) {
  Device& device = test::device();
  const int n = test::world().size(), me = test::world().rank();
  std::vector<int> low, high;
  for (int r = 0; r < n; ++r) {
    if (r <= n / 2) low.push_back(r);
    if (r >= n / 2) high.push_back(r);
  }
  std::vector<std::unique_ptr<SharedBuffer>> lent;
  for (const std::vector<int>& members : {low, high}) {
    if (std::find(members.begin(), members.end(), me) == members.end()) continue;
    const Ranks ranks = subset(test::world(), members);
    SharedBuffer& shared = *lent.emplace_back(std::make_unique<SharedBuffer>(device, ranks, 4000));
    EXPECT_TRUE(all_are(contents(shared.data(), 4000), 0));
    barrier(ranks); // all have looked
    const char set = members == low ? 1 : 2;
    for (int r = 0; r < test::world().node_size(); ++r) {
      const int rank = Ranks::of_node(test::world()).rank(r);
      if (!ranks.place_of(rank)) {
        EXPECT_THROW((void)shared.peer(r), Error);
      } else if (device.reaches(r)) {
        const std::vector<char> stamp(10, static_cast<char>(10 * set + me));
        copy_to_device(device, shared.peer(r) + 10 * me, stamp.data(), stamp.size());
      }
    }
    barrier(ranks);
    for (const int from : members)
      if (test::world().same_node(from, me) && device.reaches(test::world().node_rank_of(from))) {
        EXPECT_TRUE(all_are(contents(shared.data() + 10 * from, 10), static_cast<char>(10 * set + from)));
      }
  }
  // Ranks that are in both end the second first, as a world's parts do.
  while (!lent.empty()) lent.pop_back();
}

} // namespace
} // namespace tasuki

// Memory that ranks lend each other, on one node and on several: what random askers do against a serial twin.
#include <tasuki/base/agree.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/transfer/ask.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tasuki {
namespace {

using test::refusal;

// How the ranks are to each other.
enum class Way { one_node, nodes_of_two, nodes_of_one, own_memory };
std::string name_of(const testing::TestParamInfo<Way>& way) {
  const std::array<const char*, 4> names{"one_node", "nodes_of_two", "nodes_of_one", "own_memory"};
  return names.at(static_cast<std::size_t>(way.param));
}

class Lends : public testing::TestWithParam<Way> {
protected:
  void SetUp() override {
    const int size = test::world().size(), each = GetParam() == Way::nodes_of_two ? 2 : 1;
    const bool split = GetParam() == Way::nodes_of_two || GetParam() == Way::nodes_of_one;
    world_ = test::world_with([&](Settings& s) { s.subclusters = split ? std::max(1, size / each) : 1; });
  }
  void TearDown() override { world_.reset(); }

  World& world() { return *world_; }
  // Zero memory of so many bytes, by this way.
  std::unique_ptr<Loan> lend(const Ranks& ranks, const std::string& name, std::uint64_t bytes) {
    if (GetParam() != Way::own_memory) return std::make_unique<Loan>(ranks, name, bytes);
    auto& memory = memories_.emplace_back(std::make_unique<std::vector<std::uint64_t>>(bytes / 8 + 1));
    return std::make_unique<Loan>(ranks, name, memory->data(), bytes);
  }

  std::vector<std::unique_ptr<std::vector<std::uint64_t>>> memories_;
  std::unique_ptr<World> world_;
};
INSTANTIATE_TEST_SUITE_P(Ask, Lends,
                         testing::Values(Way::one_node, Way::nodes_of_two, Way::nodes_of_one,
                                         Way::own_memory),
                         name_of);

// Each asker has a part of each rank's memory for itself and does there what it likes: rows, adds, swaps, all in one
// stream; what it sees, and what is there in the end, is what a twin has that does the same one after another.
TEST_P(Lends, RandomActsOfAllRanksAreThoseOfASerialTwin) {
  constexpr std::uint64_t kPart = 4096;
  const int size = world().size(), me = world().rank();
  const auto loan = lend(world(), "parts", kPart * static_cast<std::uint64_t>(size));
  // Of every asker, the parts it has in the memories of all: the same draws on all ranks.
  std::vector<std::vector<char>> mine;
  for (int asker = 0; asker < size; ++asker) {
    auto random = test::random(static_cast<std::uint64_t>(asker));
    std::vector<std::vector<char>> parts(static_cast<std::size_t>(size), std::vector<char>(kPart));
    for (int round = 0; round < 100; ++round) {
      const int owner = static_cast<int>(test::pick(random, 0, size - 1));
      char* const part = parts[static_cast<std::size_t>(owner)].data();
      const std::uint64_t base = kPart * static_cast<std::uint64_t>(asker);
      const long what = test::pick(random, 0, 3);
      const auto value = static_cast<std::int64_t>(random());
      const bool hits = test::pick(random, 0, 1);
      const auto slot = 8 * static_cast<std::uint64_t>(test::pick(random, 0, kPart / 8 - 1));
      const auto bytes = static_cast<std::uint64_t>(test::pick(random, 0, 40)),
                 count = static_cast<std::uint64_t>(test::pick(random, 0, 6)),
                 gap = static_cast<std::uint64_t>(test::pick(random, 0, 30)),
                 here = static_cast<std::uint64_t>(test::pick(random, 0, 5));
      const ByteRows rows{slot, bytes, count, bytes + gap};
      const ByteRows there{base + slot, bytes, count, bytes + gap};
      const std::uint64_t apart = bytes + here;
      std::vector<char> rest(count * apart + 1, static_cast<char>(value));
      std::int64_t before = 0;
      std::memcpy(&before, part + slot, 8);
      if (what < 2) {
        if (refusal({"twin", part, kPart}, rows)) continue;
        if (what == 0) {
          if (asker == me) loan->put(owner, there, rest.data(), apart).wait();
          copy_rows(part + slot, rows.stride, rest.data(), apart, bytes, count);
        } else if (asker == me) {
          std::vector<char> want = rest;
          copy_rows(want.data(), apart, part + slot, rows.stride, bytes, count);
          loan->get(owner, there, rest.data(), apart).wait();
          ASSERT_EQ(rest, want);
        }
      } else if (what == 2) {
        if (asker == me) {
          ASSERT_EQ(loan->add(owner, base + slot, value).value(), before);
        }
        const std::uint64_t sum = static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(value);
        std::memcpy(part + slot, &sum, 8);
      } else {
        const std::int64_t expected = hits ? before : before + 1;
        if (asker == me) {
          ASSERT_EQ(loan->compare_and_swap(owner, base + slot, expected, value).value(), before);
        }
        if (hits) std::memcpy(part + slot, &value, 8);
      }
    }
    mine.push_back(parts[static_cast<std::size_t>(me)]);
  }
  barrier(world());
  for (int asker = 0; asker < size; ++asker)
    EXPECT_EQ(std::memcmp(loan->data() + kPart * static_cast<std::uint64_t>(asker),
                          mine[static_cast<std::size_t>(asker)].data(), kPart),
              0)
        << "what rank " << asker << " did on rank " << me;
  barrier(world());
}

// All ranks add to the same few numbers of all ranks at once, the owner too: nothing is lost, and what adds of one found
// is another number each time.
TEST_P(Lends, AddsOfAllRanksToOneNumberAreAllThere) {
  constexpr int kTimes = 50;
  const int size = world().size();
  const auto loan = lend(world(), "counts", 32);
  auto random = test::random(static_cast<std::uint64_t>(world().rank()));
  std::vector<int> seen; // tickets of rank 0's first number
  long asked = 0;
  for (int k = 0; k < kTimes; ++k) {
    seen.push_back(loan->add(0, 0, 1).value());
    const int owner = static_cast<int>(test::pick(random, 0, size - 1));
    auto sum = loan->add(owner, 8, 1L);
    loan->add(owner, 16, 0.5).wait();
    EXPECT_GE(sum.value(), 0);
    loan->add(owner, 24, 0.25f).wait();
    ++asked;
  }
  std::vector<int> all = gather_rows(world(), seen);
  std::sort(all.begin(), all.end());
  for (int k = 0; k < kTimes * size; ++k) ASSERT_EQ(all[static_cast<std::size_t>(k)], k);
  std::int64_t here = 0;
  double halves = 0;
  float quarters = 0;
  barrier(world());
  std::memcpy(&here, loan->data() + 8, 8);
  std::memcpy(&halves, loan->data() + 16, 8);
  std::memcpy(&quarters, loan->data() + 24, 4);
  EXPECT_EQ(reduce_sum(world(), static_cast<long>(here)), kTimes * size);
  EXPECT_EQ(reduce_sum(world(), halves), 0.5 * kTimes * size);
  EXPECT_EQ(reduce_sum(world(), static_cast<double>(quarters)), 0.25 * kTimes * size);
}

// A lock made of swaps keeps what is no atomic act in turn.
TEST_P(Lends, SwapsMakeALock) {
  constexpr int kTimes = 10;
  const auto loan = lend(world(), "locked", 64);
  const int owner = world().size() - 1, me = world().rank();
  for (int k = 0; k < kTimes; ++k) {
    world().wait_until([&] { return loan->compare_and_swap(owner, 0, 0L, me + 1L).value() == 0; }, "a lock");
    std::array<long, 3> inside{};
    loan->get(owner, 8, inside.data(), 24).wait();
    for (long& number : inside) ++number;
    loan->put(owner, 8, inside.data(), 24).wait();
    EXPECT_EQ(loan->compare_and_swap(owner, 0, me + 1L, 0L).value(), me + 1L);
  }
  barrier(world());
  std::array<long, 3> inside{};
  loan->get(owner, 8, inside.data(), 24).wait();
  EXPECT_EQ(inside,
            (std::array<long, 3>{kTimes * world().size(), kTimes * world().size(), kTimes * world().size()}));
}

// The owner calls nothing, of MPI or ours, until it sees in its own memory that all have been served.
TEST_P(Lends, ABusyOwnerAnswers) {
  const auto loan = lend(world(), "busy", 64);
  const int others = world().size() - 1;
  if (world().rank() == 0) {
    const std::atomic_ref<std::int64_t> served(*reinterpret_cast<std::int64_t*>(loan->data()));
    const double begun = seconds();
    while (served.load() < others && seconds() - begun < 60) {} // not for ever where it fails
    EXPECT_EQ(served.load(), others);
  } else {
    const std::array<double, 2> there{1.5, 2.5};
    std::array<double, 2> came{};
    loan->put(0, 16, there.data(), 16).wait();
    loan->get(0, 16, came.data(), 16).wait();
    EXPECT_EQ(came, there);
    EXPECT_EQ(loan->compare_and_swap(0, 40, 5, 6).value(), 0);
    loan->add(0, 0, std::int64_t{1}).wait();
  }
  barrier(world());
}

// More bytes than a request has, whole and in rows, and rows that are longer than one.
TEST_P(Lends, LargeRequestsGoInPieces) {
  constexpr std::uint64_t kBytes = 5 * kMost + 1234;
  const int me = world().rank(), next = (me + 1) % world().size(),
            before = (me + world().size() - 1) % world().size();
  const auto loan = lend(world(), "large", kBytes);
  const auto byte = [](int rank, std::uint64_t at) {
    return static_cast<char>(at * 7 + at / 1000 + 31u * static_cast<unsigned>(rank));
  };
  std::vector<char> mine(kBytes), came(kBytes);
  for (std::uint64_t at = 0; at < kBytes; ++at) mine[at] = byte(me, at);
  loan->put(next, 0, mine.data(), kBytes).wait();
  barrier(world());
  for (std::uint64_t at = 0; at < kBytes; ++at) ASSERT_EQ(loan->data()[at], byte(before, at)) << at;
  auto whole = loan->get(next, 0, came.data(), kBytes);
  std::vector<char> thin(3 * 2000000 / 3), thick(2 * (kMost + 100));
  loan->get(next, {1, 1, thin.size(), 2}, thin.data()).wait();
  loan->get(next, {50, kMost + 100, 2, 2 * kMost}, thick.data()).wait();
  whole.wait();
  EXPECT_EQ(came, mine);
  for (std::uint64_t k = 0; k < thin.size(); ++k) ASSERT_EQ(thin[k], mine[1 + 2 * k]) << k;
  EXPECT_EQ(std::memcmp(thick.data(), &mine[50], kMost + 100), 0);
  EXPECT_EQ(std::memcmp(&thick[kMost + 100], &mine[50 + 2 * kMost], kMost + 100), 0);
  barrier(world());
}

TEST_P(Lends, TicketsMayBeWaitedForInAnyOrder) {
  const auto loan = lend(world(), "order", 8000);
  const int next = (world().rank() + 1) % world().size();
  std::vector<long> numbers(1000), came(1000);
  std::vector<Ticket> tickets;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    numbers[k] = static_cast<long>(k * k) + world().rank();
    tickets.push_back(loan->put(next, 8 * k, &numbers[k], 8));
  }
  while (!tickets.empty()) tickets.pop_back(); // waits
  for (std::uint64_t k = 0; k < 1000; ++k) tickets.push_back(loan->get(next, 8 * k, &came[k], 8));
  for (std::size_t k = 0; k < 1000; ++k) tickets[(k * 7) % 1000].wait();
  EXPECT_EQ(came, numbers);
}

TEST_P(Lends, RefusalsNameTheLoanThePlaceAndTheSize) {
  const int me = world().rank(), other = (me + 1) % world().size();
  const auto loan = lend(world(), "weights", static_cast<std::uint64_t>(8 * (100 + other)));
  const std::string size = std::to_string(8 * (100 + (other + 1) % world().size()));
  const std::string who = "rank " + std::to_string(me) + " asks rank " + std::to_string(other) + " for ";
  long number = 77;
  const std::string outside =
      "16 bytes at 100000 of weights, which has " + size + " there; ask for bytes that it has";
  EXPECT_EQ(refusal([&] { loan->get(other, 100000, &number, 16).wait(); }), who + outside);
  EXPECT_EQ(refusal([&] { loan->put(other, 100000, &number, 16).wait(); }), who + outside);
  EXPECT_EQ(refusal([&] { loan->add(other, 4, 1L).wait(); }),
            who +
                "an atomic number of 8 bytes at 4 of weights, which is no multiple of its size; give such a "
                "number a place that is");
  // Nothing of it is done, though its first pieces are inside.
  std::vector<char> many(3 * kMost, 'x');
  EXPECT_EQ(refusal([&] { loan->put(other, 0, many.data(), many.size()).wait(); }),
            who + std::to_string(many.size()) + " bytes at 0 of weights, which has " + size +
                " there; ask for bytes that it has");
  EXPECT_NE(refusal([&] { loan->get(world().size(), 0, &number, 8).wait(); }).find("ask 0 to "),
            std::string::npos);
  EXPECT_NE(refusal([&] { loan->get(-1, 0, &number, 8).wait(); }).find("ask 0 to "), std::string::npos);
  EXPECT_EQ(number, 77);
  barrier(world());
  EXPECT_TRUE(std::all_of(loan->data(), loan->data() + loan->bytes(), [](char byte) { return byte == 0; }));
  loan->get(other, 0, &number, 8).wait(); // and it goes on
  EXPECT_EQ(number, 0);
  barrier(world());
}

// Loans of some ranks, one in another, whose numbers meet in no rank's table.
TEST_P(Lends, SubsetsLendToThemselves) {
  const auto all = lend(world(), "all", 64);
  const int size = world().size(), me = world().rank();
  std::vector<int> high;
  for (int r = size / 2; r < size; ++r) high.push_back(r);
  if (me >= size / 2) {
    const Ranks ranks = subset(world(), high);
    const auto some = lend(ranks, "some", 64);
    some->add(0, 8, 10L * me).wait();
    all->add(0, 16, 1L).wait();
    barrier(ranks);
    long sum = 0, want = 0;
    for (const int r : high) want += 10L * r;
    some->get(0, 8, &sum, 8).wait();
    EXPECT_EQ(sum, want);
  }
  barrier(world());
  long came = 0;
  all->get(0, 16, &came, 8).wait();
  EXPECT_EQ(came, static_cast<long>(high.size()));
}

TEST_P(Lends, ManyLoansComeAndGo) {
  for (int round = 0; round < 8; ++round) {
    const auto one = lend(world(), "one", 8), none = lend(world(), "none", 0);
    one->add(round % world().size(), 0, 1).wait();
    none->get(0, 0, nullptr, 0).wait();
    barrier(world());
    int here = 0;
    std::memcpy(&here, one->data(), 4);
    EXPECT_EQ(here, round % world().size() == world().rank() ? world().size() : 0);
  }
}

TEST_P(Lends, OnlyOtherNodesAndOwnMemoryAreAskedByMessages) {
  const auto loan = lend(world(), "ways", 8);
  for (int r = 0; r < world().size(); ++r)
    EXPECT_EQ(loan->direct(r),
              GetParam() == Way::own_memory ? r == world().rank() : world().same_node(r, world().rank()));
}

TEST(Ask, ALoanOfOtherNamesIsRefused) {
  if (test::world().size() == 1) return;
  const std::string name = test::world().rank() == 0 ? "a" : "b";
  EXPECT_EQ(refusal([&] { Loan(test::world(), name, 8); }),
            "rank 0 lends new memory with name a, rank 1 with name b; let every rank do the same, in the "
            "same order");
}

} // namespace
} // namespace tasuki

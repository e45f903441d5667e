// Requests in progress: what a rank is asked for, piece by piece, is every byte of it once and none before
// all of it is known to be lent; and what they bring and leave is what a serial twin has.
#include <tasuki/base/mpi_info.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/channel/post.hpp>
#include <tasuki/transfer/ticket.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace tasuki {
namespace {

constexpr std::uint64_t kLentAs = 5, kLentBytes = 6 * kMost + 777;

std::uint64_t drawn(test::Random& random, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint64_t>(test::pick(random, static_cast<long>(low), static_cast<long>(high)));
}

// Each rank lends memory and writes down what it is asked; it asks the one behind it.
class Tickets : public testing::Test {
protected:
  void SetUp() override {
    World& world = test::world();
    if (!mpi_serves_threads(world)) GTEST_SKIP() << "MPI serves a single thread of each rank";
    lent_.resize(kLentBytes);
    loans_.lend(kLentAs, {"weights", lent_.data(), kLentBytes});
    post_ = std::make_unique<Post>(Ranks(world), kRequestHead + kMost,
                                   [this](const char* request, std::size_t size) {
                                     const char* fault = nullptr;
                                     if (const auto errand = read_request(request, size, fault)) {
                                       const std::lock_guard guard(mutex_);
                                       asked_.push_back(*errand);
                                     }
                                     return Post::Reply(answer(loans_, request, size));
                                   });
  }
  void TearDown() override { post_.reset(); }

  Ticket go(const Errand& errand, char* here, std::uint64_t stride) {
    World& world = test::world();
    return {*post_, (world.rank() + 1) % world.size(), errand, here, stride, "weights", open_};
  }
  // What this rank was asked since, between two barriers.
  std::vector<Errand> asked() {
    barrier(test::world());
    std::vector<Errand> all;
    {
      const std::lock_guard guard(mutex_);
      all.swap(asked_);
    }
    barrier(test::world());
    return all;
  }

  std::vector<char> lent_;
  std::shared_ptr<int> open_ = std::make_shared<int>(0);

private:
  Loans loans_;
  std::mutex mutex_;
  std::vector<Errand> asked_;
  std::unique_ptr<Post> post_;
};

// Rows that lie in what is lent: some of a request, many of several, some that are longer than one.
ByteRows rows_by_chance(test::Random& random) {
  ByteRows rows;
  switch (drawn(random, 0, 3)) {
    case 0: rows = {0, drawn(random, 0, 300), drawn(random, 0, 50), 0}; break;
    case 1: rows = {0, drawn(random, 1, 5000), 0, 0}; break;
    case 2: rows = {0, drawn(random, kMost / 3, kMost), drawn(random, 1, 4), 0}; break;
    default: rows = {0, drawn(random, kMost - 2, 2 * kMost + 2), drawn(random, 1, 2), 0};
  }
  rows.stride = rows.bytes + drawn(random, 0, 40);
  if (rows.count == 0 && rows.bytes > 300) rows.count = drawn(random, 1, (kLentBytes - 1000) / rows.stride);
  rows.offset = drawn(random, 0, kLentBytes - rows.count * rows.stride);
  return rows;
}

void fill(std::vector<char>& bytes, test::Random& random) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
  }
}

// How often each byte is asked for.
std::vector<char> marked(const ByteRows& rows) {
  std::vector<char> marks(kLentBytes);
  for (std::uint64_t k = 0; k < rows.count; ++k)
    for (std::uint64_t b = 0; b < rows.bytes; ++b) ++marks[rows.offset + k * rows.stride + b];
  return marks;
}

TEST_F(Tickets, AskForEachByteOnceInPieces) {
  test::Random random = test::random(81);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int round = 0; round < 8; ++round) {
    const ByteRows rows = rows_by_chance(random); // the same on each rank
    const bool put = drawn(random, 0, 1) != 0;
    SCOPED_TRACE(std::to_string(rows.count) + " rows of " + std::to_string(rows.bytes) + " bytes");
    const std::uint64_t stride = rows.bytes + drawn(random, 0, 9);
    std::vector<char> here(rows.count * stride + 1);
    fill(here, random);
    fill(lent_, random);
    std::vector<char> lent = lent_, brought = here; // the twin's
    barrier(test::world());
    for (std::uint64_t k = 0; k < rows.count; ++k) {
      char *there = &lent[rows.offset + k * rows.stride], *mine = &brought[k * stride];
      if (rows.bytes) std::memcpy(put ? there : mine, put ? mine : there, rows.bytes);
    }
    Ticket ticket =
        go({.act = put ? Act::put : Act::get, .loan = kLentAs, .rows = rows}, here.data(), stride);
    EXPECT_EQ(*open_, 1);
    ticket.wait();
    EXPECT_EQ(*open_, 0);
    EXPECT_TRUE(ticket.done());
    std::vector<Errand> pieces = asked();
    EXPECT_TRUE(here == brought) << "what is here";
    EXPECT_TRUE(lent_ == lent) << "what is there";
    const bool many = rows.bytes * rows.count > kMost;
    if (many) {
      ASSERT_FALSE(pieces.empty());
      EXPECT_EQ(pieces.front().act, Act::look);
      EXPECT_EQ(pieces.front().rows.offset, rows.offset);
      EXPECT_EQ(pieces.front().rows.count, rows.count);
      pieces.erase(pieces.begin());
    } else {
      EXPECT_EQ(pieces.size(), 1u);
    }
    std::vector<char> marks(kLentBytes);
    for (const Errand& piece : pieces) {
      EXPECT_EQ(piece.act, put ? Act::put : Act::get) << "it looks once, and first";
      EXPECT_LE(piece.rows.bytes * piece.rows.count, kMost);
      const std::vector<char> more = marked(piece.rows);
      for (std::uint64_t at = 0; at < kLentBytes; ++at) marks[at] = static_cast<char>(marks[at] + more[at]);
    }
    EXPECT_TRUE(marks == marked(rows)) << "each byte once, and no other";
    // Whole requests but the last, or the last of a row.
    const std::uint64_t most = std::max<std::uint64_t>(1, rows.bytes ? kMost / rows.bytes : rows.count);
    EXPECT_LE(pieces.size(), rows.bytes > kMost ? rows.count * ((rows.bytes + kMost - 1) / kMost)
                                                : std::max<std::uint64_t>(1, (rows.count + most - 1) / most));
    if (test::any_rank(::testing::Test::HasFailure())) return;
  }
}

TEST_F(Tickets, DoNothingOfWhatIsRefusedInPart) {
  World& world = test::world();
  std::fill(lent_.begin(), lent_.end(), 'o');
  std::vector<char> here(3 * kMost, 'x');
  barrier(world);
  const int asked_rank = (world.rank() + 1) % world.size();
  for (const Act act : {Act::put, Act::get}) {
    Ticket ticket = go({.act = act, .loan = kLentAs, .rows = {kLentBytes - 3 * kMost + 1, here.size()}},
                       here.data(), here.size());
    EXPECT_EQ(test::refusal([&] { ticket.wait(); }),
              "rank " + std::to_string(world.rank()) + " asks rank " + std::to_string(asked_rank) + " for " +
                  std::to_string(here.size()) + " bytes at " + std::to_string(kLentBytes - 3 * kMost + 1) +
                  " of weights, which has " + std::to_string(kLentBytes) +
                  " there; ask for bytes that it has");
    EXPECT_TRUE(ticket.done()) << "it is over";
    EXPECT_EQ(*open_, 0);
    const std::vector<Errand> pieces = asked();
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0].act, Act::look);
  }
  EXPECT_EQ(std::count(lent_.begin(), lent_.end(), 'o'), static_cast<long>(kLentBytes));
  EXPECT_EQ(std::count(here.begin(), here.end(), 'x'), static_cast<long>(here.size()));
}

// Who gives a ticket another request, or none, has waited for the one that it had.
TEST_F(Tickets, AreWaitedForWhereTheyEnd) {
  for (std::size_t at = 0; at < lent_.size(); ++at) lent_[at] = static_cast<char>(at % 127);
  barrier(test::world());
  std::vector<char> one(2 * kMost), two(3), three(kMost);
  const auto get = [&](std::uint64_t offset, std::vector<char>& into) {
    return go({.act = Act::get, .loan = kLentAs, .rows = {offset, into.size()}}, into.data(), into.size());
  };
  const auto as_lent = [&](std::uint64_t offset, const std::vector<char>& came) { // all ranks lend the same
    return std::equal(came.begin(), came.end(), lent_.begin() + static_cast<long>(offset));
  };
  {
    Ticket ticket = get(1, one);
    ticket = get(2, two);
    EXPECT_TRUE(as_lent(1, one));
    Ticket moved = std::move(ticket);
    EXPECT_EQ(*open_, 1);
    moved = Ticket();
    EXPECT_TRUE(as_lent(2, two));
    EXPECT_EQ(*open_, 0);
    const Ticket last = get(3, three);
  }
  EXPECT_TRUE(as_lent(3, three));
  EXPECT_EQ(*open_, 0);
  barrier(test::world());
}

TEST_F(Tickets, BringTheNumberThatAnAtomicActFound) {
  std::int64_t there = -7000000000 - test::world().rank();
  std::memcpy(lent_.data(), &there, sizeof there);
  const int asked_rank = (test::world().rank() + 1) % test::world().size();
  barrier(test::world());
  const Errand add{.act = Act::add, .number = Number::word64, .loan = kLentAs, .rows = {0, 8}, .operand = 5};
  Asked<std::int64_t> first(go(add, nullptr, 0));
  EXPECT_EQ(first.value(), -7000000000 - asked_rank);
  EXPECT_EQ(first.value(), -7000000000 - asked_rank) << "as often as it is asked for";
  EXPECT_EQ(Asked<std::int64_t>(go(add, nullptr, 0)).value(), -7000000000 - asked_rank + 5);
  barrier(test::world());
  std::memcpy(&there, lent_.data(), sizeof there);
  EXPECT_EQ(there, -7000000000 - test::world().rank() + 10);
  EXPECT_EQ(Asked<int>(Ticket(42)).value(), 42) << "one that is done";
}

} // namespace
} // namespace tasuki

// A rank's server: what it brings from several homes, and how many messages that takes.
#include <tasuki/space/server.hpp>

#include <tasuki/base/reduce.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tasuki::test {
namespace {

using namespace space;

constexpr std::uint64_t kEach = 64; // pages of a rank

struct Ground { // each rank is a node. Collective
  explicit Ground(World& w)
      : world(w), range(w, w.settings().space_at + (std::uintptr_t{4} << 36), std::size_t{1} << 28, 4096) {
    const long pages = static_cast<long>(kEach) * w.size();
    arrays.add(Map({pages, 4096}, {w.size(), 1}, 1, 0, w.size()), "a");
    for (std::uint64_t k = 0; k < kEach; ++k)
      range.page(first(w.rank()) + k)[100] = static_cast<char>(first(w.rank()) + k);
    server.emplace(w, range, pages_, arrays, home, [](const char*, std::size_t, std::uint64_t) {});
    barrier(w, "the other ranks to serve");
  }
  ~Ground() { barrier(world, "the other ranks to ask nothing more"); }
  static std::uint64_t first(int rank) { return kEach * static_cast<std::uint64_t>(rank); }

  World& world;
  Range range;
  Pages pages_{range};
  Arrays arrays{range};
  Home home{range, world.node(), world.nodes()};
  std::optional<Server> server;
};

TEST(Server, AsksEachHomeOnceForAllRuns) {
  const auto other = world_with([](Settings& s) { s.subclusters = world().size(); });
  if (other->size() < 2) return; // nobody is asked
  Ground ground(*other);
  std::vector<PageRun> runs; // short ones of all homes in turn, as a box over several parts has them
  for (std::uint64_t k = 0; k + 2 <= kEach; k += 8)
    for (int rank = 0; rank < other->size(); ++rank)
      if (rank != other->rank()) runs.push_back({Ground::first(rank) + k, 2});
  std::vector<int> there(runs.size(), 0);
  ground.server->fetch(runs, false, [&](std::size_t k) {
    ++there[k];
    for (std::uint64_t page = runs[k].first; page < runs[k].first + 2; ++page)
      EXPECT_EQ(ground.range.page(page)[100], static_cast<char>(page)) << "page " << page;
  });
  EXPECT_EQ(std::count(there.begin(), there.end(), 1), static_cast<long>(runs.size()))
      << "each has come once";
  const auto homes = static_cast<std::uint64_t>(other->size() - 1);
  EXPECT_EQ(ground.server->messages(), homes);
  EXPECT_GT(ground.server->bytes(), runs.size() * 2 * 4096);
  ground.server->hold(runs);
  EXPECT_EQ(ground.server->messages(), 2 * homes);
}

// What does not fit into one message goes in several, a run in as many as it needs.
TEST(Server, BringsLongRunsInPieces) {
  const auto other = world_with([](Settings& s) { s.subclusters = world().size(); });
  if (other->size() < 2) return;
  Ground ground(*other);
  const int next = (other->rank() + 1) % other->size();
  std::vector<std::size_t> there;
  // 256 KiB are a message: 64 pages.
  ground.server->fetch({{Ground::first(next), kEach}}, false, [&](std::size_t k) { there.push_back(k); });
  EXPECT_EQ(there, std::vector<std::size_t>{0});
  EXPECT_EQ(ground.server->messages(), 1u);
  for (std::uint64_t page = Ground::first(next); page < Ground::first(next) + kEach; ++page)
    EXPECT_EQ(ground.range.page(page)[100], static_cast<char>(page));
  Outbox out(*ground.server, {.ask = Ask::hold, .node = other->node()});
  for (int k = 0; k < 3; ++k) {
    put(out.to(next), PageRun{Ground::first(next), 1});
    out.grown(next);
  }
  out.finish();
  EXPECT_EQ(ground.server->messages(), 2u) << "three small questions to one rank are one message";
}

// The keeper of locks takes and gives its own without a message, beside other ranks'.
TEST(Server, AsksItselfWithoutAMessage) {
  const auto other = world_with([](Settings& s) { s.subclusters = world().size(); });
  if (other->size() < 2) return;
  Ground ground(*other);
  const auto ticket = static_cast<std::uint64_t>(other->rank()) + 1;
  const Head lock{.ask = Ask::lock, .number = 5, .ticket = ticket};
  const Head unlock{.ask = Ask::unlock, .number = 5, .ticket = ticket};
  const auto ask = [&](const Head& head) { return ground.server->ask(0, question(head), 64); };
  std::uint64_t questions = 0;
  do ++questions;
  while (get<std::uint64_t>(ask(lock).data()) == 0);
  ask(unlock);
  EXPECT_EQ(ground.server->messages(), other->rank() == 0 ? 0 : questions + 1);
}

} // namespace
} // namespace tasuki::test

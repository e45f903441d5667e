// Persistent requests: the words of each turn, and not complete before all of them are.
#include <tasuki/channel/requests.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <array>

namespace tasuki {
namespace {

using test::world;
using Words = std::array<std::int64_t, 3>;

char* bytes_of(Words& words) { return reinterpret_cast<char*>(words.data()); }
void complete(Requests& requests) {
  world().wait_until([&] { return requests.done(); }, "a message of this test");
}

TEST(Requests, CarryTheWordsOfEveryTurn) {
  const int rank = world().rank(), size = world().size(), to = (rank + 1) % size,
            from = (rank + size - 1) % size;
  Words out{}, in{};
  Requests requests;
  requests.add_send(bytes_of(out), 3, to, 5, world().comm());
  requests.add_receive(bytes_of(in), 3, from, 5, world().comm());
  for (std::int64_t turn = 0; turn < 4; ++turn) {
    out = {turn, rank, -turn};
    requests.start();
    complete(requests);
    EXPECT_EQ(in, (Words{turn, from, -turn}));
    EXPECT_TRUE(requests.done()); // till they are started again
  }
}

TEST(Requests, AreDoneWhenTheLastOneIs) {
  const int rank = world().rank(), size = world().size();
  if (size < 2) GTEST_SKIP() << "needs two ranks";
  if (rank > 1) return;
  Words one{}, two{};
  if (rank == 0) {
    Requests requests;
    requests.add_receive(bytes_of(one), 3, 1, 1, world().comm());
    requests.add_receive(bytes_of(two), 3, 1, 2, world().comm());
    requests.start();
    world().wait_until([&] { return requests.done() || one[0] == 11; }, "the first of two messages");
    EXPECT_FALSE(requests.done()); // rank 1 sends the second when it is told to
    std::int64_t go = 1;
    MPI_Send(&go, 1, MPI_INT64_T, 1, 3, world().comm());
    complete(requests);
    EXPECT_EQ(two[2], 23);
    return;
  }
  one = {11, 12, 13};
  two = {21, 22, 23};
  Requests first, second;
  first.add_send(bytes_of(one), 3, 0, 1, world().comm());
  second.add_send(bytes_of(two), 3, 0, 2, world().comm());
  first.start();
  complete(first);
  std::int64_t go = 0;
  MPI_Recv(&go, 1, MPI_INT64_T, 0, 3, world().comm(), MPI_STATUS_IGNORE);
  second.start();
  complete(second);
}

TEST(Requests, OfNoneAreDone) {
  Requests none;
  none.start();
  EXPECT_TRUE(none.done());
  Requests moved = std::move(none);
  EXPECT_TRUE(moved.done());
}

} // namespace
} // namespace tasuki

// A wait for requests ends when all of them are complete, and not before.
#include <tasuki/base/wait.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::world;

TEST(Await, EndsWithTheLastRequest) {
  const int rank = world().rank(), size = world().size();
  const int from = (rank + size - 1) % size, to = (rank + 1) % size;
  // The second word is passed on from rank to rank, so that the last has it long after its first.
  long first = 100 + rank, passed = rank == 0 ? 7 : 0, got_first = -1, got_passed = -1;
  std::vector<MPI_Request> requests(3);
  MPI_Irecv(&got_first, 1, MPI_LONG, from, 1, world().comm(), &requests[0]);
  MPI_Irecv(&got_passed, 1, MPI_LONG, from, 2, world().comm(), &requests[1]);
  MPI_Isend(&first, 1, MPI_LONG, to, 1, world().comm(), &requests[2]);
  if (rank > 0) {
    detail::await(world(), requests, "its turn");
    passed = got_passed + 1;
    requests.clear();
  }
  MPI_Isend(&passed, 1, MPI_LONG, to, 2, world().comm(), &requests.emplace_back());
  detail::await(world(), requests, "what it passes on");
  EXPECT_EQ(got_first, 100 + from);
  EXPECT_EQ(got_passed, 7 + from);
}

TEST(Await, OfNothingIsOver) { detail::await(world(), {}, "nothing"); }

} // namespace
} // namespace tasuki

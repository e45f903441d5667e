// What a world keeps for upper rooms.
#include <tasuki/base/reduce.hpp>
#include <tasuki/field/field.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::world;

std::vector<std::string> ended;

struct First {
  explicit First(World&) {}
  ~First() { ended.emplace_back("first"); }
};
struct Second {
  explicit Second(World& world) : first(world.part<First>()) {}
  ~Second() { ended.emplace_back("second"); }
  First& first;
};
struct Third {
  explicit Third(World& world) : second(world.part<Second>()) {}
  ~Third() { ended.emplace_back("third"); }
  Second& second;
};

TEST(World, PartsEndBeforeThoseThatTheyAreMadeOf) {
  ended.clear();
  {
    const auto world = test::world_with([](Settings&) {});
    Third& third = world->part<Third>();
    EXPECT_EQ(&third, &world->part<Third>());
    EXPECT_EQ(&third.second.first, &world->part<First>());
  }
  EXPECT_EQ(ended, (std::vector<std::string>{"third", "second", "first"}));
}

// A communicator of some of the ranks, the caller's own; freed with it.
struct Half {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit Half(int color) { MPI_Comm_split(world().comm(), color, world().rank(), &comm); }
  ~Half() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;
};

TEST(World, WorldsOfACommunicatorEachAreSideBySide) {
  const int color = world().rank() % 2, size = (world().size() + 1 - color) / 2;
  const Half half(color);
  Settings settings = world().settings();
  settings.lanes = 1 + color; // one may be set otherwise than the other
  World own(0, nullptr, settings, half.comm);
  EXPECT_EQ(own.size(), size);
  EXPECT_EQ(own.rank(), world().rank() / 2);
  EXPECT_EQ(reduce_sum(own, 1), size);

  // Each does other things than the other, and more of them.
  for (int turn = 0; turn <= color; ++turn) {
    const Grid<1> grid(own, {30 + 10 * color}, {.halo = 1});
    Field<float> u(grid, "u");
    u.from_host(std::vector<float>(static_cast<std::size_t>(u.extent(0)), static_cast<float>(own.rank())));
    const std::vector<float> all = u.gather();
    if (own.rank() == 0) {
      ASSERT_EQ(all.size(), static_cast<std::size_t>(30 + 10 * color));
      EXPECT_EQ(all.front(), 0.0f);
      EXPECT_EQ(all.back(), static_cast<float>(size - 1));
    }
  }
}

TEST(World, IsOfSomeRanksWhileTheOthersTakeNoPart) {
  const bool in = world().rank() == 0;
  const Half part(in ? 0 : MPI_UNDEFINED);
  if (in) {
    const World own(0, nullptr, world().settings(), part.comm);
    EXPECT_EQ(own.size(), 1);
  }
}

TEST(World, TheCommunicatorStaysTheCallers) {
  const Half all(0);
  { const World own(0, nullptr, world().settings(), all.comm); }
  int size = 0;
  MPI_Comm_size(all.comm, &size);
  EXPECT_EQ(size, world().size());
  MPI_Barrier(all.comm);
}

TEST(World, RefusesNoCommunicator) {
  EXPECT_THROW(World(0, nullptr, world().settings(), MPI_COMM_NULL), Error);
}

} // namespace
} // namespace tasuki

// Where a field's memory lies: zero, in a place of its own, reached by the ranks of the node or by none; and
// whether a user has lent it, or the device has no room for it, is the same for each rank.
#include <tasuki/base/reduce.hpp>
#include <tasuki/field/field.hpp>
#include <tasuki/field/memory_source.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tasuki {
namespace {

std::unique_ptr<World> host_world(const char* executor = "eager") {
  return test::world_with([&](Settings& s) {
    s.device = "host";
    s.executor = executor;
    s.device_memory = 0;
    s.ranks.clear();
  });
}

struct Asking {
  explicit Asking(World& world, const MemorySource& from = own_memory())
      : grid(world, {40, 8L * world.size()}, {.halo = 1}), source(from) {}
  std::unique_ptr<FieldMemory> lend(int number) const {
    const Storage storage{4, 1};
    return source.lend({.device = grid.core()->device(),
                        .field = "u",
                        .bytes = storage.bytes(grid.core()->layout()),
                        .number = number,
                        .grid = grid.core(),
                        .storage = storage});
  }
  std::size_t bytes() const { return Storage{4, 1}.bytes(grid.core()->layout()); }
  Grid<2> grid;
  MemorySource source;
};

TEST(MemorySource, IsZeroAndAlignedForEachOfManyFields) {
  const auto made = host_world();
  const Asking asking(*made);
  std::vector<std::unique_ptr<FieldMemory>> all; // none is in another's place
  for (int number = 3; number < 3 + 20; ++number) {
    all.push_back(asking.lend(number));
    char* const data = all.back()->data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % kFieldAlignment, 0u);
    EXPECT_EQ(std::count(data, data + asking.bytes(), '\0'), static_cast<long>(asking.bytes()));
    std::memset(data, number, asking.bytes());
  }
  for (int k = 0; k < 20; ++k) {
    char* const data = all[static_cast<std::size_t>(k)]->data();
    EXPECT_EQ(std::count(data, data + asking.bytes(), static_cast<char>(3 + k)),
              static_cast<long>(asking.bytes()));
  }
}

// What a rank stores at its address for another's memory lies there, at the same place from the start.
TEST(MemorySource, OfItsOwnIsReachedByTheRanksOfTheNode) {
  const auto made = host_world();
  const Asking asking(*made);
  for (const int number : {0, 5, 15}) {
    const auto memory = asking.lend(number);
    ASSERT_TRUE(memory->reached());
    EXPECT_FALSE(memory->outside());
    EXPECT_EQ(memory->peer(made->node_rank()), memory->data());
    const int me = made->node_rank(), size = made->node_size();
    ASSERT_GE(asking.bytes(), static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) { // at both ends
      memory->peer(rank)[me] = static_cast<char>(1 + me);
      memory->peer(rank)[asking.bytes() - 1 - static_cast<std::size_t>(me)] = static_cast<char>(1 + me);
    }
    barrier(*made);
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(memory->data()[rank], 1 + rank);
      EXPECT_EQ(memory->data()[asking.bytes() - 1 - static_cast<std::size_t>(rank)], 1 + rank);
    }
    EXPECT_EQ(std::count(memory->data(), memory->data() + asking.bytes(), '\0'),
              static_cast<long>(asking.bytes()) - 2 * size);
    barrier(*made);
  }
}

TEST(MemorySource, OfAFieldThatIsStreamedIsReachedByNone) {
  const auto made = host_world("streamed");
  const Asking asking(*made);
  const auto memory = asking.lend(1);
  EXPECT_TRUE(memory->outside());
  EXPECT_FALSE(memory->reached());
  EXPECT_EQ(
      test::refusal([&] { memory->peer(0); }),
      "memory of the host was to be stored into by another rank's device; take --channel mpi or peer:pack");
  std::memset(memory->data(), 7, asking.bytes()); // all of it is there
}

TEST(MemorySource, OfAUserIsTheUsersAndKeepsItsValues) {
  const auto made = host_world();
  std::vector<char> users(100000, 'u');
  char* const start = users.data() + (64 - reinterpret_cast<std::uintptr_t>(users.data()) % 64) % 64;
  const Asking asking(*made, memory_at(start));
  ASSERT_LT(asking.bytes(), 90000u);
  {
    const auto memory = asking.lend(1);
    EXPECT_EQ(memory->data(), start);
    EXPECT_FALSE(memory->reached());
    EXPECT_FALSE(memory->outside());
    EXPECT_EQ(test::refusal([&] { memory->peer(0); }),
              "a user's memory was to be stored into by another rank; take --channel mpi or peer:pack");
  }
  EXPECT_EQ(std::count(users.begin(), users.end(), 'u'), 100000);
}

} // namespace
} // namespace tasuki

// What a world keeps for upper rooms.
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

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

} // namespace
} // namespace tasuki

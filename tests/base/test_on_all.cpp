#include <tasuki/base/on_all.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace tasuki {
namespace {

using test::world;

TEST(OnAll, RaisesTheFaultOfOneRankOnAll) {
  for (int bad = 0; bad < world().size(); ++bad) {
    try {
      on_all(world(), [&] {
        if (world().rank() == bad)
          throw Error("rank " + std::to_string(bad) + " fell; over a; stone", "look down");
      });
      FAIL() << "it did not throw";
    } catch (const Error& fault) {
      EXPECT_EQ(std::string(fault.what()), "rank " + std::to_string(bad) + " fell; over a; stone; look down");
    }
  }
}

TEST(OnAll, TakesTheLowestRankOfSeveral) {
  try {
    on_all(world(), [] { throw std::runtime_error("rank " + std::to_string(world().rank())); });
    FAIL() << "it did not throw";
  } catch (const Error& fault) {
    EXPECT_EQ(std::string(fault.what()).rfind("rank 0; ", 0), 0u) << fault.what();
  }
}

TEST(OnAll, PassesWhereThereIsNoFault) {
  int done = 0;
  on_all(world(), [&] { ++done; });
  on_root(world(), [&] { ++done; });
  EXPECT_EQ(done, world().rank() == 0 ? 2 : 1);
}

TEST(OnAll, SharesATextWithZerosInIt) {
  const std::string text("a\0b", 3);
  std::string mine = world().rank() == 0 ? text : "other";
  share(world(), mine);
  EXPECT_EQ(mine, text);
}

} // namespace
} // namespace tasuki

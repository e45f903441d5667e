// Looks through shared memory: the ranks come to the verdict of the reduction's own value, at the step that the rule
// says, however late it comes.
#include <tasuki/run/look.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace tasuki {
namespace {

using test::world;

struct Fill {
  float value;
  TS_CELL void operator()(auto c, auto u, auto most) const {
    u(c) = value - static_cast<float>(c[0]); // the first rank has the most
    most(c, u(c));
  }
};

class Looks : public testing::Test {
protected:
  void SetUp() override {
    made_ = test::world_with([](Settings& s) {
      s.executor = "eager";
      s.ranks.clear();
      s.halo = 0;
    });
    grid_.emplace(*made_, std::array<long, 1>{64});
    u_.emplace(*grid_, "u");
    most_.emplace(*made_, "most");
  }
  // The step in which the reduction has this value.
  void step(float value) { run(program(sweep(Fill{value}, grid_->inner(0), writes(*u_), reduces(*most_)))); }
  bool possible(const Until& until) { return Look::possible(made_->part<Device>(), until); }

  // Steps of which number k has the value 10 - k; returns the last that is done before the ranks know that they are done.
  long last_step(const Until& until, long times) {
    Look look(made_->part<Device>(), until);
    for (long k = 1; k <= times; ++k) {
      EXPECT_GE(look.sure(k), k); // this step is done, whatever comes
      step(10 - static_cast<float>(k));
      look.after(k, k == times);
      if (look.reached() && look.end() <= k) return look.end();
      EXPECT_TRUE(!look.reached() || look.end() > k);
    }
    return look.reached() ? look.end() : times + 1;
  }

  std::unique_ptr<World> made_;
  std::optional<Grid<1>> grid_;
  std::optional<Field<float>> u_;
  std::optional<Max<float>> most_;
};

TEST_F(Looks, EndWhereTheRuleSays) {
  if (!possible(below(*most_, 4.5f))) GTEST_SKIP() << "looks are of host devices of one node";
  // The value is below 4.5 from step 6 on.
  EXPECT_EQ(last_step(below(*most_, 4.5f), 20), 6);
  EXPECT_EQ(last_step(below(*most_, 4.5f, 4), 20), 8); // looked at after steps 4, 8, ..
  EXPECT_EQ(last_step(below(*most_, 4.5f, 4, 3), 20), 11);
  EXPECT_EQ(last_step(below(*most_, 4.5f, 2, 5), 20),
            11); // the next looks fall among the steps that are late
  EXPECT_EQ(last_step(above(*most_, 8.5f), 20), 1);
  EXPECT_EQ(last_step(below(*most_, -50.0f), 12), 13); // never
}

TEST_F(Looks, KnowWhichStepsAreDoneWhateverTheySay) {
  const Until until = below(*most_, 4.5f, 4, 2);
  if (!possible(until)) GTEST_SKIP() << "looks are of host devices of one node";
  const Look look(made_->part<Device>(), until);
  EXPECT_EQ(look.sure(1), 6); // the look after step 4, and two steps
  EXPECT_EQ(look.sure(4), 6);
  EXPECT_EQ(look.sure(5), 10);
  EXPECT_FALSE(look.reached());
}

TEST_F(Looks, NeedAReductionToCompare) {
  EXPECT_FALSE(possible({.reached = [] { return true; }}));
  EXPECT_EQ(possible(below(*most_, 1.0f)), !made_->part<Device>().cuda() && made_->nodes() == 1);
}

} // namespace
} // namespace tasuki

// Looks of the host: the verdict is of the value that the step left, whatever steps have come since, and of all ranks.
#include <tasuki/run/host_look.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace tasuki {
namespace {

struct Give {
  double value;
  TS_CELL void operator()(auto c, auto u, auto sum) const {
    u(c) = value;
    sum(c, value);
  }
};

class HostLooks : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    made_ = test::world_with([](Settings& s) {
      s.executor = "eager";
      s.sums = GetParam();
      s.ranks.clear();
      s.halo = 0;
    });
    grid_.emplace(*made_, std::array<long, 1>{kCells});
    u_.emplace(*grid_, "u");
    sum_.emplace(*made_, "sum");
  }
  void step(double value) { run(program(sweep(Give{value}, grid_->all(), writes(*u_), reduces(*sum_)))); }
  static constexpr long kCells = 64;
  std::unique_ptr<World> made_;
  std::optional<Grid<1>> grid_;
  std::optional<Field<double>> u_;
  std::optional<Sum<double>> sum_;
};

TEST_P(HostLooks, AreAtTheValueOfTheirStep) {
  const Until until = below(*sum_, 1.5 * kCells, 1, 1);
  HostLook look(made_->part<Device>(), until);
  EXPECT_FALSE(look.asked());
  // The values go up and down: a look at what came later would say the opposite.
  const std::vector<double> values = {1, 2, 1, 1, 2, 2, 1};
  const auto ends_at = [&](long k) {
    return values[static_cast<std::size_t>(k)] < 1.5 ? std::optional(k) : std::nullopt;
  };
  const long all = static_cast<long>(values.size());
  for (long k = 0; k < all; ++k) {
    step(values[static_cast<std::size_t>(k)]);
    look.ask(k);
    if (k == 0) continue;
    EXPECT_EQ(look.asked(), k - 1);
    EXPECT_EQ(look.decide(k, k), ends_at(k - 1)) << "step " << k - 1;
  }
  EXPECT_EQ(look.asked(), all - 1);
  EXPECT_FALSE(look.decide(all - 1, 0)) << "it may wait for a step more";
  EXPECT_EQ(look.asked(), all - 1);
  step(7);
  EXPECT_EQ(look.decide(all, 0), all - 1);
  EXPECT_FALSE(look.asked());
}

TEST_P(HostLooks, TellWhatEachStepLeft) {
  std::vector<std::pair<long, double>> told, due;
  Until until = below(*sum_, -1.0, 1, 1);
  until.tests = false;
  until.told = [&](long k, const std::vector<char>& parts) { told.emplace_back(k, sum_->value_of(parts)); };
  HostLook look(made_->part<Device>(), until);
  constexpr long kSteps = 100; // more than are told together
  for (long k = 1; k <= kSteps; ++k) {
    step(static_cast<double>(k));
    due.emplace_back(k, static_cast<double>(k * kCells));
    look.ask(k);
    EXPECT_FALSE(look.decide(k, k));
    EXPECT_LT(told.size(), due.size()) << "a look was waited for";
  }
  EXPECT_FALSE(look.decide(kSteps, kSteps + 1, true));
  EXPECT_EQ(told, due);
  EXPECT_FALSE(look.asked());
}

TEST_P(HostLooks, NeedASweepThatFillsTheReduction) {
  const Until until = below(*sum_, 1.0);
  HostLook look(made_->part<Device>(), until);
  EXPECT_THROW(look.ask(1), Error);
}

INSTANTIATE_TEST_SUITE_P(Sums, HostLooks, testing::Values("exact", "fast"));

TEST(HostLook, IsOfConditionsThatCompareAReduction) {
  const Sum<double> sum(test::world(), "sum");
  EXPECT_TRUE(HostLook::possible(below(sum, 1.0, 10, 3)));
  EXPECT_TRUE(HostLook::possible(below(sum, 1.0, 10)));
  EXPECT_FALSE(HostLook::possible({.reached = [] { return true; }, .late = 1}));
}

TEST(HostLook, StopsWhereTheOneBeforeHasToBeDecided) {
  const Sum<double> sum(test::world(), "sum");
  const auto stops = [](const Until& until, long end) {
    std::vector<long> all;
    for (long done = 0; done < end;) all.push_back(done = next_stop(until, done, end));
    return all;
  };
  using Stops = std::vector<long>;
  EXPECT_EQ(stops(below(sum, 1.0, 1, 1), 4), (Stops{1, 2, 3, 4}));
  EXPECT_EQ(stops(below(sum, 1.0, 10, 3), 35), (Stops{3, 10, 13, 20, 23, 30, 33, 35}));
  EXPECT_EQ(stops(below(sum, 1.0, 10, 10), 25), (Stops{10, 20, 25}));
  EXPECT_EQ(stops(below(sum, 1.0, 4, 30), 13), (Stops{4, 8, 12, 13}));
  EXPECT_EQ(stops(below(sum, 1.0, 10), 25), (Stops{10, 20, 25})) << "at once";
}

} // namespace
} // namespace tasuki

// Constants are turned until predictions agree with measurements, and only those that measurements tell of.
#include <tasuki/base/error.hpp>
#include <tasuki/model/fit.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

Knob launches() {
  return {"launch", [](Constants& c, double by) { c.launch *= by; }};
}
Knob barriers() {
  return {"barrier", [](Constants& c, double by) { c.barrier *= by; }};
}

Sample sample_of(const Constants& truth, std::function<double(const Constants&)> predicted) {
  const double measured = predicted(truth);
  return {std::move(predicted), measured};
}

TEST(ModelFit, FindsWhatMeasurementsWereMadeOf) {
  Constants truth = Constants::named("NVIDIA H200"), c = truth;
  truth.launch *= 3;
  truth.barrier *= 0.4;
  std::vector<Sample> samples;
  for (const double steps : {1.0, 3.0, 10.0})
    samples.push_back(
        sample_of(truth, [=](const Constants& k) { return 20 * k.launch + steps * k.barrier; }));
  const double gap = c.gap;
  const Fitted fitted = fit(c, samples, {launches(), barriers()});
  EXPECT_GT(fitted.before, 0.3);
  EXPECT_LT(fitted.after, 0.02);
  EXPECT_NEAR(c.launch / truth.launch, 1, 0.05);
  EXPECT_EQ(c.gap, gap);
  ASSERT_EQ(fitted.factors.size(), 2u);
  EXPECT_EQ(fitted.factors[0].first, "launch");
  EXPECT_NEAR(fitted.factors[0].second, 3, 0.15);
}

TEST(ModelFit, LeavesAloneWhatNothingIsSaidOf) {
  Constants truth = Constants::named("NVIDIA H200"), c = truth;
  truth.launch *= 2;
  const double barrier = c.barrier;
  const Fitted fitted =
      fit(c, {sample_of(truth, [](const Constants& k) { return k.launch; })}, {launches(), barriers()});
  EXPECT_LT(fitted.after, fitted.before);
  EXPECT_EQ(c.barrier, barrier);
  EXPECT_EQ(fitted.factors[1].second, 1);
}

TEST(ModelFit, OfNoMeasurementsIsRefused) {
  Constants c = Constants::named("host");
  EXPECT_THROW(fit(c, {}, {launches()}), Error);
}

TEST(ModelFit, TurnsNoMemory) { // the efficiencies of sweeps scale that
  for (const Knob& knob : usual_knobs({"Relax"})) {
    Constants c = Constants::named("NVIDIA H200");
    const double memory = c.memory;
    knob.scale(c, 2);
    EXPECT_EQ(c.memory, memory) << knob.name;
  }
}

} // namespace
} // namespace tasuki

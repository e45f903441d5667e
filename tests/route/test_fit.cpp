#include <tasuki/base/error.hpp>
#include <tasuki/route/fit.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki {
namespace {

std::vector<std::pair<long, double>> line(double latency, double bandwidth) {
  std::vector<std::pair<long, double>> points;
  for (long bytes = 64; bytes <= 64L << 20; bytes *= 4)
    points.emplace_back(bytes, latency + static_cast<double>(bytes) / bandwidth);
  return points;
}

TEST(Fit, FindsTheLineThatItWasGiven) {
  for (const double latency : {0.3e-6, 2.6e-6, 40e-6})
    for (const double bandwidth : {1e8, 5e9, 370e9}) {
      const Fit fit = fit_line(line(latency, bandwidth));
      EXPECT_NEAR(fit.latency / latency, 1, 1e-6);
      EXPECT_NEAR(fit.bandwidth / bandwidth, 1, 1e-6);
      EXPECT_LT(fit.rms, 1e-9);
    }
}

TEST(Fit, StandsNoise) {
  auto random = test::random();
  std::uniform_real_distribution<double> noise(0.9, 1.1);
  auto points = line(5e-6, 2e10);
  for (auto& [bytes, seconds] : points) seconds *= noise(random);
  const Fit fit = fit_line(points);
  EXPECT_NEAR(fit.latency / 5e-6, 1, 0.15);
  EXPECT_NEAR(fit.bandwidth / 2e10, 1, 0.25);
  EXPECT_LT(fit.rms, 0.12);
  EXPECT_GT(fit.rms, 0.001);
}

TEST(Fit, HasNoNegativePart) {
  const Fit growing = fit_line({{100, 1e-6}, {200, 3e-6}, {400, 9e-6}}); // a line would begin below 0
  EXPECT_GE(growing.latency, 0);
  EXPECT_GT(growing.bandwidth, 0);
  const Fit falling = fit_line({{100, 3e-6}, {200, 2e-6}});
  EXPECT_GT(falling.latency, 0);
  EXPECT_NEAR(falling.bandwidth / 1e15, 1, 1e-9);
}

TEST(Fit, RefusesOnePoint) {
  EXPECT_THROW(fit_line({}), Error);
  EXPECT_THROW(fit_line({{64, 1e-6}}), Error);
  EXPECT_THROW(fit_line({{64, 1e-6}, {64, 2e-6}}), Error);
  EXPECT_THROW(fit_line({{64, 1e-6}, {128, 0}}), Error);
}

} // namespace
} // namespace tasuki

#include <tasuki/model/calibrate.hpp>

#include <cmath>

namespace tasuki {
namespace {

constexpr double kMostFactor = 8; // a factor above it, or below its inverse, is rejected
constexpr double kGoodEnough = 0.005;

Constants scaled(Constants constants, double factor) {
  for (auto& [sweep, efficiency] : constants.efficiency) efficiency *= factor;
  constants.usual_efficiency *= factor;
  return constants;
}

} // namespace

std::optional<double> calibrate(Constants& constants, double measured,
                                const std::function<double(const Constants&)>& predicted) {
  double low = 1 / kMostFactor, high = kMostFactor; // more efficiency means less time
  for (int round = 0; round < 60; ++round) {
    const double middle = std::sqrt(low * high);
    (predicted(scaled(constants, middle)) > measured ? low : high) = middle;
  }
  const double factor = std::sqrt(low * high);
  const Constants found = scaled(constants, factor);
  if (std::abs(predicted(found) / measured - 1) > kGoodEnough) return std::nullopt;
  constants = found;
  return factor;
}

} // namespace tasuki

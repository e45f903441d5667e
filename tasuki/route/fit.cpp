#include <tasuki/base/error.hpp>
#include <tasuki/route/fit.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

constexpr double kBoundless = 1e15; // bytes/s, if the time does not grow with the number of bytes

} // namespace

Fit fit_line(const std::vector<std::pair<long, double>>& points) {
  const auto sizes = std::minmax_element(points.begin(), points.end());
  const bool usable = !points.empty() && sizes.first->first != sizes.second->first &&
                      std::all_of(points.begin(), points.end(), [](const auto& p) { return p.second > 0; });
  if (!usable) throw Error("no line fits these times", "measure two sizes at least");

  // The minimum of the sum of ((latency + bytes * slope) / seconds - 1)^2. With a = 1 / seconds and b = bytes / seconds
  // this is a linear problem with two unknowns.
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (const auto& [bytes, seconds] : points) {
    const double a = 1 / seconds, b = static_cast<double>(bytes) / seconds;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  double latency = (a1 * bb - b1 * ab) / determinant, slope = (aa * b1 - ab * a1) / determinant;
  // Neither parameter may be negative: one that is becomes 0, and the other is fitted alone.
  if (latency < 0) {
    latency = 0;
    slope = b1 / bb;
  } else if (slope <= 0) {
    latency = a1 / aa;
    slope = 0;
  }
  Fit fit{latency, 1 / std::max(slope, 1 / kBoundless), 0};
  for (const auto& [bytes, seconds] : points) {
    const double error = (fit.latency + static_cast<double>(bytes) / fit.bandwidth) / seconds - 1;
    fit.rms += error * error / static_cast<double>(points.size());
  }
  fit.rms = std::sqrt(fit.rms);
  return fit;
}

} // namespace tasuki

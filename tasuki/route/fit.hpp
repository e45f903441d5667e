// The straight line through measured times: latency + bytes / bandwidth.
#pragma once

#include <utility>
#include <vector>

namespace tasuki {

struct Fit {
  double latency = 0;   // s, not below 0
  double bandwidth = 0; // bytes/s
  double rms = 0;       // of the relative errors
};

// Least squares of the relative errors, so that short and long times have the same weight. `points`: bytes, seconds;
// at least two sizes, and times above 0. Throws Error otherwise.
Fit fit_line(const std::vector<std::pair<long, double>>& points);

} // namespace tasuki

// A predicted time, and its parts.
#pragma once

#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace tasuki {

// compute: work on cells. latency: waits for messages, flags or barriers, regardless of their size.
// bandwidth: bytes of messages that are not hidden. host: the device waits for the host's launches, waits and
// decisions.
enum class Part { compute, latency, bandwidth, host };
inline constexpr std::array<const char*, 4> kPartNames = {"compute", "latency", "bandwidth", "host"};
inline const char* to_string(Part part) { return kPartNames[static_cast<std::size_t>(part)]; }

// Seconds by part. Time that is hidden by overlap is not counted, so the parts add up to the total time.
struct Parts {
  std::array<double, kPartNames.size()> seconds{};

  double& operator[](Part part) { return seconds[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return seconds[static_cast<std::size_t>(part)]; }
  double total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
  Parts& operator+=(const Parts& other) {
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] += other.seconds[k];
    return *this;
  }
  friend Parts operator*(double factor, Parts parts) {
    for (double& s : parts.seconds) s *= factor;
    return parts;
  }
};

} // namespace tasuki

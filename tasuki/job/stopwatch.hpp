// Seconds of a phase of a run.
#pragma once

#include <chrono>

namespace tasuki::job {

// Adds its lifetime to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - begun_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point begun_ = Clock::now();
};

} // namespace tasuki::job

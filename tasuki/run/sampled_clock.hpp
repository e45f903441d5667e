// A clock for threads whose steps are shorter than a call of the clock.
//   SampledClock clock(1);
//   for (long step = 1; step <= 1000; ++step) { clock.begin(step); exchange(); clock.exchanged(); sweep(); clock.swept(); }
#pragma once

#include <chrono>

namespace tasuki {

// Seconds spent in sweeps and exchanges, measured in some of the steps: a clock call costs as much as a small row.
class SampledClock {
public:
  explicit SampledClock(long first) : first_(first) {}

  void begin(long number) {
    if (number == number_) return;
    number_ = number;
    ++steps_;
    const bool on = (number - first_) % 64 < 8; // consecutive: perhaps only every fourth step has an exchange
    if (on) ++measured_;
    if (on && !on_) mark_ = now();
    on_ = on;
  }
  void swept() { pass(sweeping_); }
  void exchanged() { pass(exchanging_); }

  double sweeping() const { return sweeping_ * scale(); }
  double exchanging() const { return exchanging_ * scale(); }

private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void pass(double& sum) {
    if (!on_) return;
    const double then = mark_;
    mark_ = now();
    sum += mark_ - then;
  }
  double scale() const {
    return measured_ ? static_cast<double>(steps_) / static_cast<double>(measured_) : 0;
  }

  long first_, number_ = -1, steps_ = 0, measured_ = 0;
  bool on_ = false;
  double mark_ = 0, sweeping_ = 0, exchanging_ = 0;
};

} // namespace tasuki

// How the time of a run is distributed: measured by the host's clock, or on a GPU by events in some of the steps.
// The phases are also named ranges for a profiler, in every step.
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/device/ranges.hpp>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tasuki {

enum class Phase { sweep, exchange, call, settle };

class Phases {
public:
  explicit Phases(Device& device);

  void begin_step(long number);       // decides whether to measure: on the host always, on a GPU some steps
  void pause() { measured_ = false; } // until the next step: work recorded for later is not measured
  void begin(Phase phase, const char* name);
  void end();
  void add(long steps, double sweep, double exchange); // seconds of steps that were measured elsewhere
  Ranges& ranges() { return ranges_; }
  // Seconds by phase and "other", scaled from the measured steps to all steps. Waits for the device.
  std::map<std::string, double> seconds(double total);

private:
  struct Mark {
    Phase phase;
    Event from, to;
  };
  void collect();

  Device& device_;
  Ranges& ranges_;
  bool measured_ = true;
  long steps_ = 0, measured_steps_ = 0;
  std::array<double, 4> sum_{};
  Phase phase_ = Phase::sweep;
  double clock_ = 0;
  std::vector<Mark> marks_;
  std::size_t used_ = 0; // of marks_
};

} // namespace tasuki

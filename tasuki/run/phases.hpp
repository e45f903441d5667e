// Where the time of a run goes: the wall clock on the host, timed events of some of the steps on a GPU. And by which name a
// profiler sees it, in every step.
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

  void begin_step(long number);       // decides whether the step is measured: all on the host, some on a GPU
  void pause() { measured_ = false; } // till the next step: what is enqueued for later is not measured
  void begin(Phase phase, const char* name);
  void end();
  void add(long steps, double sweep, double exchange); // seconds of steps that were measured elsewhere
  Ranges& ranges() { return ranges_; }
  // Seconds by phase and "other", scaled from the measured steps to all that were begun. Waits for the device.
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

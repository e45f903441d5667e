#include <tasuki/run/phases.hpp>

#include <algorithm>
#include <chrono>

namespace tasuki {
namespace {

// On a GPU eight consecutive steps of every 64 are measured: an event costs the host a microsecond, and an exchange may
// occur only in every fourth step.
constexpr long kInARow = 8, kOf = 64;
constexpr std::size_t kMostMarks = 512; // at this number, the host waits for the device and reads the events

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Phases::Phases(Device& device) : device_(device), ranges_(device.world().part<Ranges>()) {}

void Phases::begin_step(long number) {
  measured_ = !device_.cuda() || (number - 1) % kOf < kInARow;
  measured_steps_ += measured_;
  ++steps_;
}

void Phases::begin(Phase phase, const char* name) {
  ranges_.begin(name);
  if (!measured_) return;
  phase_ = phase;
  if (!device_.cuda()) {
    clock_ = now();
    return;
  }
  if (used_ == kMostMarks) collect();
  if (used_ == marks_.size())
    marks_.push_back({phase, Event(device_.kind(), true), Event(device_.kind(), true)});
  marks_[used_].phase = phase;
  marks_[used_].from.record(device_.stream());
}

void Phases::end() {
  ranges_.end();
  if (!measured_) return;
  if (!device_.cuda())
    sum_[static_cast<int>(phase_)] += now() - clock_;
  else
    marks_[used_++].to.record(device_.stream());
}

void Phases::add(long steps, double sweep, double exchange) {
  steps_ += steps;
  measured_steps_ += steps;
  sum_[static_cast<int>(Phase::sweep)] += sweep;
  sum_[static_cast<int>(Phase::exchange)] += exchange;
}

void Phases::collect() {
  device_.stream().synchronize();
  for (std::size_t k = 0; k < used_; ++k)
    sum_[static_cast<int>(marks_[k].phase)] += marks_[k].to.seconds_since(marks_[k].from);
  used_ = 0;
}

std::map<std::string, double> Phases::seconds(double total) {
  collect();
  const double scale =
      measured_steps_ > 0 ? static_cast<double>(steps_) / static_cast<double>(measured_steps_) : 0;
  std::map<std::string, double> phases;
  double known = 0;
  const char* names[] = {"sweep", "exchange", "call", "settle"};
  for (std::size_t k = 0; k < sum_.size(); ++k) known += phases[names[k]] = sum_[k] * scale;
  phases["other"] = std::max(0.0, total - known);
  return phases;
}

} // namespace tasuki

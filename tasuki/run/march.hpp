// Stretches of steps that are one sweep over and over: what a kernel of many steps can do.
#pragma once

#include <tasuki/program/program.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// A memory is named by the field that holds it when the stretch begins.
struct March {
  Sweep sweep;
  long steps = 0;                  // in a row
  std::vector<Swap> before, after; // the sweep, in every step
  int phases = 1;                  // steps until the swaps have come round
  std::vector<std::vector<FieldCore*>>
      memory;                       // [phase][access]: what it reads or writes; null for a reduction
  std::vector<FieldCore*> changing; // memories that the steps write or pass around

  bool changes(const FieldCore* memory) const;
  void swap_fields(long steps) const; // as `steps` steps do
};

// The stretch that begins with step `first` and ends with `last` or before. None where that step is not a single sweep
// with swaps: several sweeps, a call, swaps that take more than `most_phases` steps to come round.
std::optional<March> march_at(const Program& program, long first, long last, int most_phases);

// Why a program's first steps have no stretch of `few` steps and more that `trouble` says nothing of: what stands in the
// way of the first one. Empty where there is such a stretch.
std::string trouble_with_marches(const Program& program, long few, int most_phases,
                                 const std::function<std::string(const March&)>& trouble);

struct Until;

// Whether kernels of many steps can look at `until` by themselves: the program is one sweep in every step, which makes
// the reduction that is compared; and a verdict comes before the next look. Executors and the model's Looks both ask here.
bool judged_in_kernel(const Program& program, const Until& until);
// Which of the sweep's reductions it is that `until` compares.
int looked_at(const March& march, const Until& until);
// Steps to a look, as a launch has them: none does more of them than an int counts.
inline int within_int(long steps) {
  return static_cast<int>(std::min<long>(steps, std::numeric_limits<int>::max()));
}

} // namespace tasuki

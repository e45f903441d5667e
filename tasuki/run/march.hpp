// Stretches of steps that repeat a single sweep, as kernels of many steps can execute them.
#pragma once

#include <tasuki/program/program.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// A memory is identified by the field that holds it when the stretch begins.
struct March {
  Sweep sweep;
  long steps = 0;                  // in a row
  std::vector<Swap> before, after; // of the sweep, in every step
  int phases = 1;                  // steps after which swaps restore the first assignment of memories
  std::vector<std::vector<FieldCore*>>
      memory;                       // [phase][access]: the memory read or written; null for a reduction
  std::vector<FieldCore*> changing; // memories that the steps write or swap

  bool changes(const FieldCore* memory) const;
  void swap_fields(long steps) const; // has the effect of the swaps of `steps` steps
};

// The stretch that begins with step `first` and ends at or before `last`. None if that step is not a single sweep with
// swaps (it has several sweeps or a call), or if swaps take more than `most_phases` steps to restore the assignment.
std::optional<March> march_at(const Program& program, long first, long last, int most_phases);

// Why the first steps of a program have no stretch of at least `few` steps that `trouble` accepts: the obstacle of the
// first stretch. Empty if there is such a stretch.
std::string trouble_with_marches(const Program& program, long few, int most_phases,
                                 const std::function<std::string(const March&)>& trouble);

struct Until;

// Whether kernels of many steps can evaluate `until`: every step is one sweep, which computes the reduction that is
// compared, and each result is known before the next evaluation. Of a monitor: whether they can leave its values for the
// host, in their first step. Executors and the model ask it.
bool judged_in_kernel(const Program& program, const Until& until);
// The index of the sweep's reduction that `until` compares.
int looked_at(const March& march, const Until& until);
// Steps as an int, as launches store them: no launch does more steps than an int can count.
inline int within_int(long steps) {
  return static_cast<int>(std::min<long>(steps, std::numeric_limits<int>::max()));
}

// Why an executor that keeps parts of a block by itself cannot do a program: a sweep that reads anywhere. Or nothing.
std::string trouble_with_anywhere(const Program& program);

} // namespace tasuki

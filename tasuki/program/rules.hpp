// The rules by which steps are planned: what a sweep needs of its halos, how far into them it goes, what of it waits for
// no message. Pure functions of a cut, a sweep's declarations and the validity of fields. The planner asks them for the
// fields of a run, the model for programs on ranks that are not there.
//
// std::vector<Validity> state = ..;                        // of each field; sweeps change it
// const SweepPlan plan = plan_sweep({&cut, halo, rank}, sweep, state);
// plan.needs; plan.boxes; plan.interior; plan.rim;
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/field/validity.hpp>
#include <tasuki/program/access.hpp>

#include <vector>

namespace tasuki {

// A grid as one of its ranks sees it.
struct PlannedGrid {
  const Decomposition* cut;
  Widths halo{}; // that it has: halo_of(cut, what was asked for)
  int rank = 0;
  bool wraps_first = true; // what a rank sends itself is there before the interior begins
};

// A field that a sweep touches, by its number.
struct Use {
  Access::Kind kind;
  int field = 0;
  Depth reach;        // of a read
  bool codec = false; // its halo holds no whole cells

  bool reads() const { return kind == Access::Kind::read || kind == Access::Kind::update; }
  bool writes() const { return kind == Access::Kind::write || kind == Access::Kind::update; }
};

struct PlannedUses {
  Box region; // global cells
  std::vector<Use> uses;
};

// A field whose halo has to be exchanged up to a depth.
struct Need {
  int field = 0;
  Depth depth;
};

struct SweepPlan {
  std::vector<Need> needs;        // before it; often nothing
  Widths extension{};             // how far into the halo it goes
  std::vector<Box> boxes;         // local cells to do
  std::vector<Box> interior, rim; // the same where there are needs: what waits for none of them, and the rest
};

// What a sweep does next, and what is valid after it.
SweepPlan plan_sweep(const PlannedGrid& grid, const PlannedUses& sweep, std::vector<Validity>& state);

// Whether an item takes part in the step of this number, from 1: in each `period`-th, or in all others.
inline bool fires(long number, long period, bool others) { return (number % period == 0) != others; }

} // namespace tasuki

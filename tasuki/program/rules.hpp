// The rules by which steps are planned: which halos a sweep needs, how far into the halo it runs, and which of its
// cells need no halo in transit. Pure functions of a decomposition, of a sweep's accesses and of the validity of
// fields. The planner uses them for the fields of a run, the model for hypothetical numbers of ranks.
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

// A grid from the view of one rank.
struct PlannedGrid {
  const Decomposition* cut;
  Widths halo{}; // the actual halo: halo_of(cut, the requested one)
  int rank = 0;
  bool wraps_first = true; // messages of a rank to itself arrive before the interior begins
  // Halos are the neighbours' own cells along the slowest axis (--halo direct): no rank computes there, and
  // before cells are written that a neighbour may still be reading, an exchange stands, at which the two meet.
  bool direct = false;
};

// An access of a sweep to a field, which is given by its index.
struct Use {
  Access::Kind kind;
  int field = 0;
  Depth reach;        // of a read
  bool codec = false; // its halo does not contain whole cells

  bool reads() const { return kind == Access::Kind::read || kind == Access::Kind::update; }
  bool writes() const { return kind == Access::Kind::write || kind == Access::Kind::update; }
};

struct PlannedUses {
  Box region; // global cells
  std::vector<Use> uses;
};

// A field whose halo must be exchanged up to a depth.
struct Need {
  int field = 0;
  Depth depth;
};

struct SweepPlan {
  std::vector<Need> needs;        // exchanges before it; often none
  std::vector<int> syncs;         // fields to synchronise before it; often none
  Widths extension{};             // how far into the halo it runs
  std::vector<Box> boxes;         // local cells to sweep
  std::vector<Box> interior, rim; // the same if there are needs: cells that need no message, and the rest
};

// The fields that have to be synchronised before a sweep: all ranks have to see whole what it reads anywhere, and what it writes
// another rank may still be reading so.
std::vector<int> syncs_before(const PlannedGrid& grid, const std::vector<Use>& uses,
                              const std::vector<Validity>& state);

// Of a direct grid: the exchange before one of these fields is written, none if no neighbour may be reading any of them.
std::vector<Need> meeting_before(const std::vector<int>& written, std::vector<Validity>& state);

// Plans the next sweep, and changes `state` to what is valid after it.
SweepPlan plan_sweep(const PlannedGrid& grid, const PlannedUses& sweep, std::vector<Validity>& state);

// Whether an item is executed in the step with this number (from 1): in each `period`-th step, or in all others.
inline bool fires(long number, long period, bool others) { return (number % period == 0) != others; }

} // namespace tasuki

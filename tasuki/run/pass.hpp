// A pass of the executor streamed: sweeps and swaps that are done while slabs of their fields are on the device.
//
//   Pass pass(planner.fields());
//   pass.add(planned); pass.add(swap); pass.add(planned);    // in the order of the steps
//   for (const Slab& slab : slabs_of(pass.lo(), pass.hi(), 64, pass.skew())) ..
#pragma once

#include <tasuki/program/plan.hpp>
#include <tasuki/run/skew.hpp>

#include <memory>
#include <set>
#include <vector>

namespace tasuki {

// The part of a box outside all of `parts`, as disjoint boxes.
std::vector<Box> without(const Box& box, const std::vector<Box>& parts);

class Pass {
public:
  using Fields = std::vector<std::shared_ptr<FieldCore>>;

  // A range of planes that the sweeps of a pass touch or write; it may be empty. A memory is identified by the number
  // of the field that holds it when the pass begins.
  struct Planes {
    long lo = 0, hi = 0;
    bool touched() const { return lo < hi; }
    void add(long from, long to);
  };
  struct Memory {
    int id = 0;             // of the memory, the same in all passes
    Planes used, written;   // planes
    Box bounds;             // of the written cells
    std::vector<Box> fresh; // cells that a sweep writes before any sweep reads them: not copied to the device
    bool met = false;
    bool dead = false; // the next pass overwrites its results before it reads them: not copied back
  };
  struct Op { // either a sweep or a swap
    const PlannedSweep* sweep = nullptr;
    const Swap* swap = nullptr;
    std::size_t number = 0; // index of the sweep
  };

  // `fields` must outlive the pass.
  explicit Pass(const Fields& fields);

  void add(const PlannedSweep& sweep);
  void add(const Swap& swap);
  bool empty() const { return ops_.empty(); }
  bool has_sweeps() const { return !skew_.empty(); }
  // Such a sweep must begin another pass; otherwise the sums of two steps would be added into one reduction.
  bool reduces_into_one_of(const SweepCore& sweep) const;

  // Determines which memories need not be copied back, if `next` follows after an exchange that sends cells of `sent`.
  void followed_by(const Pass& next, const std::set<int>& sent);

  const std::vector<Op>& ops() const { return ops_; }
  const std::vector<Memory>& memories() const { return memories_; } // in the order of the fields
  const Skew& skew() const { return skew_; }
  long lo() const { return all_.lo; }
  long hi() const { return all_.hi; }

private:
  int number_of(const FieldCore* field) const;

  const Fields* fields_;
  std::vector<int> held_; // by field: its memory after the operations so far
  std::vector<Op> ops_;
  std::vector<Memory> memories_;
  std::set<const detail::ReductionCore*> reductions_;
  Planes all_;
  Skew skew_;
  std::size_t sweeps_ = 0;
};

} // namespace tasuki

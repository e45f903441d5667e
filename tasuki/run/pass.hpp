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

// What is left of a box without all of `parts`, as disjoint boxes.
std::vector<Box> without(const Box& box, const std::vector<Box>& parts);

class Pass {
public:
  using Fields = std::vector<std::shared_ptr<FieldCore>>;

  // A memory is named by the number of the field that holds it when the pass begins. The planes that its sweeps touch, and
  // those that they write; none where they are empty.
  struct Planes {
    long lo = 0, hi = 0;
    bool touched() const { return lo < hi; }
    void add(long from, long to);
  };
  struct Memory {
    int id = 0;             // of the memory, in all passes
    Planes used, written;   // planes
    Box bounds;             // of the cells that are written
    std::vector<Box> fresh; // cells that a sweep writes before any reads them: they need not come
    bool met = false;
    bool dead = false; // what it leaves is written again before it is read: it need not go back
  };
  struct Op { // one of the two
    const PlannedSweep* sweep = nullptr;
    const Swap* swap = nullptr;
    std::size_t number = 0; // of the sweep, among the sweeps
  };

  // `fields` has to outlive it.
  explicit Pass(const Fields& fields);

  void add(const PlannedSweep& sweep);
  void add(const Swap& swap);
  bool empty() const { return ops_.empty(); }
  bool has_sweeps() const { return !skew_.empty(); }
  // A sweep with such a reduction has to begin another pass: the sums of two steps would go into one.
  bool reduces_into_one_of(const SweepCore& sweep) const;

  // Finds out which memories need not go back, as `next` is done behind it, after an exchange that sends cells of `sent`.
  void followed_by(const Pass& next, const std::set<int>& sent);

  const std::vector<Op>& ops() const { return ops_; }
  const std::vector<Memory>& memories() const { return memories_; } // of the fields, in their order
  const Skew& skew() const { return skew_; }
  long lo() const { return all_.lo; }
  long hi() const { return all_.hi; }

private:
  int number_of(const FieldCore* field) const;

  const Fields* fields_;
  std::vector<int> held_; // by field: its memory, as far as the pass has come
  std::vector<Op> ops_;
  std::vector<Memory> memories_;
  std::set<const detail::ReductionCore*> reductions_;
  Planes all_;
  Skew skew_;
  std::size_t sweeps_ = 0;
};

} // namespace tasuki

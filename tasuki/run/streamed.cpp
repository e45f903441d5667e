// Fields in host memory, for which the device memory is too small: slabs of them are copied through the device,
// for several steps at a time.
#include <tasuki/base/log.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/base/settings.hpp>
#include <tasuki/model/streamed.hpp>
#include <tasuki/route/tuning.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/march.hpp>
#include <tasuki/run/stages.hpp>

#include <algorithm>

namespace tasuki {
namespace {

constexpr long kLaunchesAtOnce = 256; // launches that the host enqueues before it waits
constexpr long kPasses =
    4; // arranged together; after the last of them all fields are complete in host memory

// The parts of the boxes in the planes `from` to `to`.
std::vector<Box> planes_of(const std::vector<Box>& boxes, long from, long to) {
  std::vector<Box> parts;
  for (Box box : boxes) {
    const int axis = box.dims - 1;
    box.lo[axis] = std::max(box.lo[axis], from);
    box.hi[axis] = std::min(box.hi[axis], to);
    if (!box.empty()) parts.push_back(box);
  }
  return parts;
}

// Undoes swaps at its destruction, so that the next slab begins in the same state.
class Swapped {
public:
  Swapped() = default;
  ~Swapped() {
    for (auto swap = done_.rbegin(); swap != done_.rend(); ++swap) (*swap)->a->swap(*(*swap)->b);
  }
  Swapped(const Swapped&) = delete;
  Swapped& operator=(const Swapped&) = delete;
  void add(const Swap& swap) {
    swap.a->swap(*swap.b);
    done_.push_back(&swap);
  }

private:
  std::vector<const Swap*> done_;
};

class Opened { // closes the windows in every case
public:
  Opened(Windows& windows, const Pass& pass, const std::vector<Slab>& slabs) : windows_(windows) {
    windows.open(pass, slabs);
  }
  ~Opened() { windows_.close(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

private:
  Windows& windows_;
};

class Streamed final : public Executor {
public:
  explicit Streamed(const Program& program)
      : device_(program.grid().device()),
        fields_(program.planner().fields()),
        windows_(device_, fields_),
        ahead_(device_, kLaunchesAtOnce),
        single_(*this) {
    on_all(device_.world(), [&] { check(program); });
    const int asked = device_.world().settings().steps_a_pass;
    steps_ = asked > 0 ? asked : streamed_steps(program, tuning(device_));
    log_info(device_.world(), [&] { return "passes of up to " + std::to_string(steps_) + " steps"; });
  }
  const char* name() const override { return row_of(ExecutorKind::streamed).name; }
  long together() const override { return kPasses * steps_; }
  StreamUse streamed() const override { return windows_.use(); }
  void take_over() override { last_ = nullptr; }

  Advance advance(Walk& walk, long first, long last) override {
    Stages stages(walk.planner(), windows_);
    const auto& list = stages.of(first, std::min(last, first + kPasses * steps_ - 1), last_, steps_);
    if (stages.done() < first) { // a call may read and change the fields
      walk.step(first, single_);
      walk.settle();
      last_ = nullptr;
      return {first};
    }
    for (long number = first; number <= stages.done(); ++number) walk.phases().begin_step(number);
    for (const Stage& stage : list) run(stage, &walk, walk.phases());
    last_ = stages.last();
    walk.planner().set_state(last_->after);
    walk.jumped();
    return {stages.done()};
  }

private:
  // Executes the sweeps of a step with a call, each as a separate pass.
  class Single final : public StepExecutor {
  public:
    explicit Single(Streamed& of) : of_(of) {}
    const char* name() const override { return of_.name(); }
    void sweep(const PlannedSweep& planned, Phases& phases) override {
      Stage stage(of_.fields_);
      stage.exchange = planned.exchange.get();
      stage.halos_free = planned.halos_free;
      stage.pass.add(planned);
      of_.run(stage, nullptr, phases); // the walk has counted the exchange
    }

  private:
    Streamed& of_;
  };

  // Throws Error if there is not even memory for a single sweep.
  void check(const Program& program) const {
    for (const Item& item : program.items()) {
      const auto* const sweep = std::get_if<Sweep>(&item.what);
      if (!sweep) continue;
      PlannedSweep planned;
      planned.sweep = *sweep;
      planned.boxes = (*sweep)->grid().local_parts((*sweep)->region(), {});
      Pass pass(fields_);
      pass.add(planned);
      if (pass.lo() < pass.hi()) windows_.check(pass, (*sweep)->name());
    }
  }

  // `walk`: counts the exchange, unless null.
  void run(const Stage& stage, Walk* walk, Phases& phases) {
    if (stage.exchange) {
      if (walk) walk->count(stage.exchange);
      device_.world().doing("an exchange");
      phases.begin(Phase::exchange, "exchange");
      stage.exchange->whole(device_.stream(), stage.halos_free);
      phases.end();
    }
    if (stage.settlement) {
      phases.begin(Phase::settle, stage.settlement->name().c_str());
      stage.settlement->launch(device_.stream());
      phases.end();
    }
    if (stage.pass.has_sweeps()) {
      device_.world().doing("a pass over slabs");
      phases.begin(Phase::sweep, "a pass over slabs");
      stream(stage.pass);
      phases.end();
    }
    swap_memories(stage.pass);
  }

  void stream(const Pass& pass) {
    std::vector<Slab> slabs(1); // a slab without planes: reductions must still be initialized
    if (pass.lo() < pass.hi())
      slabs = slabs_of(pass.lo(), pass.hi(), std::max(1L, windows_.height(pass)), pass.skew());
    const Opened open(windows_, pass, slabs);
    bool first = true;
    for (const Slab& slab : slabs) {
      windows_.enter(slab);
      sweep_over(slab, pass, first);
      windows_.leave(slab);
      first = false;
    }
    for (const Pass::Op& op : pass.ops())
      if (op.sweep) op.sweep->sweep->check();
  }

  void sweep_over(const Slab& slab, const Pass& pass, bool first) {
    Swapped swapped;
    long launches = 0;
    for (const Pass::Op& op : pass.ops()) {
      if (op.swap) {
        swapped.add(*op.swap);
        continue;
      }
      const long lag = pass.skew().lag(op.number);
      const std::vector<Box> boxes = planes_of(op.sweep->boxes, slab.first - lag, slab.last - lag);
      if (boxes.empty() && !(first && op.sweep->sweep->reduces())) continue;
      op.sweep->sweep->launch(device_.stream(), boxes, first);
      ++launches;
    }
    ahead_.enqueued(launches);
  }

  Device& device_;
  const Pass::Fields& fields_;
  Windows windows_;
  Ahead ahead_;
  Single single_;
  long steps_ = 1;              // per pass, at most
  PlannedStep* last_ = nullptr; // the last step done; null: use the fields' validities
};

} // namespace

std::string trouble_with_streamed(const Program& program) {
  if (const std::string why = trouble_with_anywhere(program); !why.empty()) return why;
  const GridCore& grid = program.grid();
  if (grid.cut().wraps_at(grid.dims() - 1))
    return "its grid wraps along the slowest axis, where the first plane reads the last";
  if (grid.world().settings().executor == kAutoExecutor && !lies_outside(program))
    return "its fields are in the device's memory";
  return "";
}

std::unique_ptr<Executor> make_streamed(const Program& program, const Until&) {
  return std::make_unique<Streamed>(program);
}

} // namespace tasuki

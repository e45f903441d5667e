// Many steps as one CUDA graph that is launched repeatedly: one launch by the host replaces hundreds of launches.
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/variables.hpp>
#include <tasuki/device/signal/reach.hpp>
#include <tasuki/run/abreast.hpp>
#include <tasuki/run/ahead.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/host_look.hpp>
#include <tasuki/run/kept.hpp>
#include <tasuki/run/run.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

namespace tasuki {
namespace {

constexpr long kMostSteps = 64;           // per graph
constexpr long kMostSweeps = 512;         // per graph: each sweep is several launches
constexpr long kRare = 32;                // items with at least this period get separate graphs
constexpr std::size_t kMostGraphs = 64;   // a program that needs more does not repeat itself
constexpr long kLooksAhead = 1L << 14;    // graphs that are prepared before time is measured
constexpr long kLongestCycle = 4096;      // steps; a program with a longer cycle is treated as not periodic
constexpr double kWorthHiding = 12 << 20; // bytes of a sweep that takes longer than two forks and joins

// The bytes that a sweep reads and writes in this rank's memory.
double bytes_of(const PlannedSweep& planned) {
  double cells = 0, each = 0;
  for (const Box& box : planned.boxes) cells += static_cast<double>(box.cells());
  for (const Access& a : planned.sweep->accesses())
    if (a.field)
      each += static_cast<double>(a.field->element_bytes() * a.field->components()) *
              (a.kind == Access::Kind::update ? 2 : 1);
  return cells * each;
}

// Enqueues a sweep and its exchange for a graph, as eager does if the sweep is short, otherwise as overlapped does.
// TASUKI_GRAPH=eager or overlapped selects one of the two for all sweeps.
class Style {
public:
  explicit Style(Device& device) : eager_(make_eager(device)), overlapped_(make_overlapped(device)) {
    wish_ = variable_word("TASUKI_GRAPH").value_or("auto");
  }
  StepExecutor& of(const PlannedSweep& planned) {
    if (wish_ != "auto") return wish_ == "eager" ? *eager_ : *overlapped_;
    return bytes_of(planned) < kWorthHiding ? *eager_ : *overlapped_;
  }

private:
  std::unique_ptr<StepExecutor> eager_, overlapped_;
  std::string wish_;
};

// Streams for short sweeps that a graph does at the same time: alone, each would wait for the last block of the one before.
class Beside {
public:
  explicit Beside(Device& device) : device_(device), fork_(device.kind()) {}

  // Enqueues all of them between what the device's stream has before and what it gets afterwards.
  void launch(const PlannedOp* first, std::size_t count) {
    Stream& own = device_.stream();
    const std::size_t lanes = std::min(count, kMostLanes);
    while (lanes_.size() + 1 < lanes)
      lanes_.push_back({Stream(device_.kind(), false), Event(device_.kind())});
    fork_.record(own);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      Stream& stream = lane == 0 ? own : lanes_[lane - 1].stream;
      if (lane > 0) stream.wait(fork_);
      for (std::size_t k = lane; k < count; k += lanes) {
        const auto& planned = std::get<PlannedSweep>(first[k]);
        planned.sweep->launch(stream, planned.boxes, true);
      }
      if (lane > 0) lanes_[lane - 1].done.record(stream);
    }
    for (std::size_t lane = 1; lane < lanes; ++lane) own.wait(lanes_[lane - 1].done);
  }

private:
  static constexpr std::size_t kMostLanes = 16;
  struct Lane {
    Stream stream;
    Event done;
  };

  Device& device_;
  Event fork_;
  std::vector<Lane> lanes_; // besides the device's own stream
};

// The memories whose halos have been read or written since an exchange: a rank that has completed this exchange
// can conclude that the other halos of its neighbours are free.
class Touched {
public:
  // Whether the halos that an exchange for these needs fills must be free, given that `earlier` preceded it.
  bool leaves_free(const std::vector<HaloNeed>& needs, const Exchange* earlier, const Exchange& now) const {
    return earlier && now.follows(*earlier) &&
           std::none_of(needs.begin(), needs.end(),
                        [&](const HaloNeed& need) { return memories_.count(need.field->memory_id()) > 0; });
  }
  void exchanged(const std::vector<HaloNeed>& needs) {
    memories_.clear();
    for (const HaloNeed& need : needs) memories_.insert(need.field->memory_id());
  }
  void swept(const PlannedSweep& planned) {
    const Layout& layout = planned.sweep->grid().layout();
    const Box owned = box_of(layout.dims, layout.extents);
    const bool leaves = std::any_of(planned.boxes.begin(), planned.boxes.end(),
                                    [&](const Box& box) { return intersect(box, owned) != box; });
    for (const Access& a : planned.sweep->accesses())
      if (a.field && (leaves || a.shape.width != Widths{})) memories_.insert(a.field->memory_id());
  }

private:
  std::set<int> memories_;
};

class GraphExecutor final : public Executor {
public:
  GraphExecutor(const Program& program, const Until& until)
      : device_(program.grid().device()),
        items_(program.items()),
        until_(until),
        calls_(make_overlapped(device_)),
        style_(device_),
        beside_(device_),
        quiet_(device_),
        ahead_(device_, kMostSteps),
        kept_(Kept::of(program).stretches) {
    quiet_.pause();
    for (const Item& item : items_) cycle_ = std::min(std::lcm(cycle_, item.period), kLongestCycle + 1);
    const auto sweeps = std::count_if(items_.begin(), items_.end(), [](const Item& item) {
      return std::holds_alternative<Sweep>(item.what);
    });
    most_ = std::clamp(kMostSweeps / std::max<long>(sweeps, 1), 1L, kMostSteps);
  }
  const char* name() const override { return row_of(ExecutorKind::graph).name; }

  void prepare(Walk& walk, long first, long last) override;
  Advance advance(Walk& walk, long first, long last) override;
  void take_over() override { last_ = nullptr; }
  double once() const override { return once_; }

private:
  Steps steps_from(Walk& walk, long first, long last);
  Stretch* stretch_of(Walk& walk, const Steps& steps);
  std::unique_ptr<Stretch> make(Walk& walk, const Steps& steps);
  void enqueue(const PlannedStep& step, const Stretch& stretch, std::size_t& exchange);
  bool rare(long number) const;

  Device& device_;
  const Items& items_;
  const Until& until_;
  std::unique_ptr<StepExecutor> calls_; // for steps with calls, and short runs
  Style style_;
  Beside beside_;
  Phases quiet_;
  Ahead ahead_;
  Stretches& kept_;
  long most_ = 0;               // steps per graph
  long cycle_ = 1;              // period of the set of active items; more than kLongestCycle: unknown
  PlannedStep* last_ = nullptr; // the last step done; null: use the fields' validities
  bool few_ = false;
  double once_ = 0; // seconds of making graphs
};

template <class Visit>
void for_swaps(const Steps& steps, const Visit& visit) {
  for (const PlannedStep* step : steps)
    for (const PlannedOp& op : step->ops)
      if (const auto* swap = std::get_if<Swap>(&op)) visit(*swap);
}

void trade(const Swap& swap) { swap.a->swap(*swap.b); }

// Restores the memories from before the steps.
void take_back(const Steps& steps) {
  std::vector<const Swap*> swaps;
  for_swaps(steps, [&](const Swap& swap) { swaps.push_back(&swap); });
  for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) trade(**swap);
}

bool needs_host(const PlannedStep& step) {
  return std::any_of(step.ops.begin(), step.ops.end(), [](const PlannedOp& op) {
    const auto* settlement = std::get_if<Settle>(&op);
    return std::holds_alternative<PlannedCall>(op) || std::holds_alternative<PlannedSync>(op) ||
           (settlement && !(*settlement)->on_device());
  });
}

// The period of a sequence of steps; 0 if it has none.
long period_of(const Steps& steps) {
  const long n = static_cast<long>(steps.size());
  for (long p = 1; 2 * p <= n; ++p)
    if (std::equal(steps.begin() + p, steps.end(), steps.begin())) return p;
  return 0;
}

bool GraphExecutor::rare(long number) const {
  return std::any_of(items_.begin(), items_.end(),
                     [=](const Item& item) { return item.period >= kRare && number % item.period == 0; });
}

// The steps for one graph, starting with `first`; empty if a graph cannot contain that step. The same on every rank,
// and with few distinct results, however the run is divided.
Steps GraphExecutor::steps_from(Walk& walk, long first, long last) {
  Steps steps;
  long& size = kept_.size;
  const long most = std::min(last - first + 1, size ? size : 2 * most_);
  PlannedStep* step = last_;
  for (long n = first; n < first + most; ++n) {
    if (n > first && rare(n)) break;
    step = &walk.planner().step(n, step);
    if (needs_host(*step)) break;
    steps.push_back(step);
    if (rare(n)) break;
  }
  const long found = static_cast<long>(steps.size());
  if (!size && found == 2 * most_) {
    const long period = period_of(steps);
    size = period ? std::max(most_ / period, 1L) * period : most_;
  }
  long use = size && found >= size ? size : 1;
  while (use != size && 2 * use <= std::min(found, most_)) use *= 2;
  steps.resize(static_cast<std::size_t>(std::min(found, use)));
  return steps;
}

// Null if there are too many graphs. The fields must be in the state before the steps. Collective.
Stretch* GraphExecutor::stretch_of(Walk& walk, const Steps& steps) {
  for (const auto& known : kept_.made)
    if (known->steps == steps) return known.get();
  if (kept_.made.size() == kMostGraphs) return nullptr;
  device_.stream().synchronize();
  const auto began = std::chrono::steady_clock::now();
  kept_.made.push_back(make(walk, steps));
  once_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return kept_.made.back().get();
}

std::unique_ptr<Stretch> GraphExecutor::make(Walk& walk, const Steps& steps) {
  auto stretch = std::make_unique<Stretch>();
  stretch->steps = steps;
  Touched touched;
  const Exchange* earlier = nullptr;
  const auto exchange = [&](const std::vector<HaloNeed>& needs) {
    if (needs.empty()) return;
    stretch->exchanges.push_back(walk.planner().exchange_for(needs, Turns::device));
    const Exchange& now = *stretch->exchanges.back();
    stretch->free.push_back(touched.leaves_free(needs, earlier, now));
    touched.exchanged(needs);
    earlier = &now;
  };
  for (const PlannedStep* step : steps)
    for (const PlannedOp& op : step->ops) {
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
        exchange(sweep->needs);
        touched.swept(*sweep);
      }
      if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) exchange(refresh->needs);
      if (const auto* swap = std::get_if<Swap>(&op)) trade(*swap);
    }
  take_back(steps);
  if (earlier) stretch->free = reduce_min(device_.world(), stretch->free);
  const NamedRange range(walk.phases().ranges(), "the making of a graph");
  stretch->graph = std::make_unique<Graph>(device_.stream(), [&] {
    std::size_t next = 0;
    for (const PlannedStep* step : steps) enqueue(*step, *stretch, next);
  });
  take_back(steps);
  return stretch;
}

void GraphExecutor::enqueue(const PlannedStep& step, const Stretch& stretch, std::size_t& exchange) {
  for (std::size_t k = 0, count = 1; k < step.ops.size(); k += count) {
    const PlannedOp& op = step.ops[k];
    count = sweeps_abreast(step.ops, k);
    if (count > 1) {
      beside_.launch(&op, count);
    } else if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
      PlannedSweep planned = *sweep;
      if (!planned.needs.empty()) {
        planned.exchange = stretch.exchanges[exchange];
        planned.halos_free = stretch.free[exchange++] != 0;
      }
      style_.of(planned).sweep(planned, quiet_);
    } else if (std::holds_alternative<PlannedRefresh>(op)) {
      stretch.exchanges[exchange]->whole(device_.stream(), stretch.free[exchange] != 0);
      ++exchange;
    } else if (const auto* settlement = std::get_if<Settle>(&op)) {
      (*settlement)->launch(device_.stream());
    } else if (const auto* swap = std::get_if<Swap>(&op)) {
      trade(*swap);
    }
  }
}

// Makes the graphs of all steps without executing them.
void GraphExecutor::prepare(Walk& walk, long first, long last) {
  walk.prepare(first, last);
  few_ = last - first + 1 < kFewSteps;
  if (few_) return;
  Planner& planner = walk.planner();
  const PlanState before = planner.state();
  std::vector<Steps> done;
  // Keyed by step, position in the cycle and steps ahead: if the same key comes again, so do all graphs up to the end.
  std::map<std::array<long, 3>, std::map<const PlannedStep*, long>> seen;
  long n = first;
  for (long graphs = 0; n <= last && graphs < kLooksAhead; ++graphs) {
    if (cycle_ <= kLongestCycle && last_) {
      const long to_look = until_.reached ? (n - 1) % until_.every : 0;
      const auto [at, is_new] = seen[{n % cycle_, to_look, kept_.size}].try_emplace(last_, n);
      const long round = n - at->second, left = last - 2 * most_ - n;
      if (!is_new && left > round) n += left / round * round;
      if (!is_new) at->second = n;
    }
    Steps steps = steps_from(walk, n, until_.reached ? next_stop(until_, n - 1, last) : last);
    if (!steps.empty()) {
      stretch_of(walk, steps);
    } else {
      steps = {
          &planner.step(n, last_)}; // its call may change later steps; those are then planned after the call
    }
    for_swaps(steps, trade);
    last_ = steps.back();
    n += static_cast<long>(steps.size());
    done.push_back(std::move(steps));
  }
  for (auto steps = done.rbegin(); steps != done.rend(); ++steps) take_back(*steps);
  planner.set_state(before);
  last_ = nullptr;
}

Advance GraphExecutor::advance(Walk& walk, long first, long last) {
  const Steps steps = few_ ? Steps{} : steps_from(walk, first, last);
  Stretch* const stretch = steps.empty() ? nullptr : stretch_of(walk, steps);
  if (!stretch) {
    walk.step(first, *calls_);
    walk.settle();
    last_ = nullptr;
    ahead_.enqueued(1);
    return {first};
  }
  {
    const NamedRange range(walk.phases().ranges(), "graph");
    stretch->graph->launch(device_.stream());
  }
  for (const auto& exchange : stretch->exchanges) walk.count(exchange.get());
  for (const Item& item : items_)
    if (const auto* sweep = std::get_if<Sweep>(&item.what)) (*sweep)->check();
  for_swaps(steps, trade);
  last_ = steps.back();
  walk.planner().set_state(last_->after);
  walk.jumped();
  const long count = static_cast<long>(steps.size());
  ahead_.enqueued(count);
  return {first + count - 1};
}

} // namespace

std::string trouble_with_graph(const Program& program) {
  Device& device = program.grid().device();
  // An MPI message needs the host, and its buffers change from turn to turn.
  return device.part<Reach>().all() ? "" : "it needs halos that travel without the host, and some go by MPI";
}
std::unique_ptr<Executor> make_graph(const Program& program, const Until& until) {
  return std::make_unique<GraphExecutor>(program, until);
}

} // namespace tasuki

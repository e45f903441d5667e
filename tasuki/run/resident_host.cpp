// Threads that stay: one parallel region does many steps.
//
// What a step does is worked out before and laid out as a script: sweeps bound to memories, exchanges, and how often
// the whole comes round again. The threads of the team walk through it, meet between a sweep and the next, and thread 0
// does what is not worth sharing while the others wait: small copies, flags, messages.
#include <tasuki/device/chaos.hpp>
#include <tasuki/device/team.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/look.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

namespace tasuki {
namespace {

constexpr long kLongestPeriod =
    4096; // of every(..)s that meet again; beyond it a script is not known to come round
constexpr long kLongestScript = 8192;       // steps
constexpr double kBatchNanoseconds = 2.5e6; // on busy cores many times that, and a signal is heard behind it
constexpr long kCostWorthSharing = 64L << 10; // of an exchange's copies, in bytes of long runs

// A halo that nothing touches from here on until it is exchanged, so many steps later.
struct Free {
  Exchange* exchange;
  long steps;
};

// An exchange, then a sweep, one of which may be missing; or a settlement.
struct Op {
  Exchange* exchange = nullptr;
  bool shared = false; // all threads do the exchange's copies
  HostTask* task = nullptr;
  const SettleCore* settlement = nullptr; // what thread 0 does alone
  const char* name = "an exchange";       // of what it does
  std::vector<Free> frees;                // once this is done
  std::set<int> halos;                    // memories whose halos it touches
  std::set<int> received;                 // memories whose halos the exchange fills
  long times = 0;                         // done since it was last counted
};

struct Step {
  const PlannedStep* planned;
  std::vector<Op> ops;
};

// Steps from number `first` on; those from `loop` on come round for ever, if there is a loop.
struct Script {
  long first = 0;
  long loop = -1;
  int threads = 1; // that have something to do
  std::vector<Step> steps;

  long size() const { return static_cast<long>(steps.size()); }
  bool knows(long number) const { return number >= first && (loop >= 0 || number < first + size()); }
  long index(long number) const {
    const long at = number - first;
    return at < size() ? at : loop + (at - loop) % (size() - loop);
  }
  Step& at(long number) { return steps[static_cast<std::size_t>(index(number))]; }
  // Numbers up to which all steps that are done from first to last have been met once.
  long once(long first, long last) const { return std::min(last, first + size() - 1); }
};

bool has_call(const PlannedStep& step) {
  return std::any_of(step.ops.begin(), step.ops.end(),
                     [](const PlannedOp& op) { return std::holds_alternative<PlannedCall>(op); });
}

std::set<int> touched_halos(const PlannedSweep& planned) {
  const SweepCore& sweep = *planned.sweep;
  const Box owned = box_of(sweep.grid().dims(), sweep.grid().layout().extents);
  const bool beyond = std::any_of(planned.boxes.begin(), planned.boxes.end(),
                                  [&](const Box& box) { return !subtract(box, owned).empty(); });
  std::set<int> halos;
  for (const Access& access : sweep.accesses()) {
    if (!access.field) continue;
    const bool reaches = access.kind == Access::Kind::read && access.shape.order > 0;
    if (beyond || reaches) halos.insert(access.field->memory_id());
  }
  return halos;
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int m) { return b.count(m) != 0; });
}

// A halo is free for its next exchange once the last that touches it is done: often a step or more before.
void find_frees(Script& script) {
  const long ahead = script.size(); // steps to look: as far as it takes to come round
  for (long s = 0; s < script.size(); ++s)
    for (std::size_t k = 0; k < script.steps[s].ops.size(); ++k) {
      Op& op = script.steps[s].ops[k];
      std::set<int> touched; // since
      for (long steps = 0; steps <= ahead; ++steps) {
        const long number = script.first + s + steps;
        if (!script.knows(number)) break;
        const std::vector<Op>& ops = script.at(number).ops;
        for (std::size_t j = steps == 0 ? k + 1 : 0; j < ops.size(); ++j) {
          const Op& later = ops[j];
          if (meet(later.received, op.halos) && !meet(later.received, touched))
            op.frees.push_back({later.exchange, steps});
          touched.insert(later.halos.begin(), later.halos.end());
        }
        if (std::includes(touched.begin(), touched.end(), op.halos.begin(), op.halos.end())) break;
      }
    }
}

// Seconds of sweeps and exchanges, taken of some of the steps: a look at the clock costs as much as a small row.
class Clock {
public:
  explicit Clock(long first) : first_(first) {}

  void begin(long number) {
    if (number == number_) return;
    number_ = number;
    ++steps_;
    const bool on = (number - first_) % 64 < 8; // in a row: an exchange may stand in every fourth alone
    if (on) ++measured_;
    if (on && !on_) mark_ = now();
    on_ = on;
  }
  void swept() { pass(sweeping_); }
  void exchanged() { pass(exchanging_); }

  double sweeping() const { return sweeping_ * scale(); }
  double exchanging() const { return exchanging_ * scale(); }

private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void pass(double& sum) {
    if (!on_) return;
    const double then = mark_;
    mark_ = now();
    sum += mark_ - then;
  }
  double scale() const {
    return measured_ ? static_cast<double>(steps_) / static_cast<double>(measured_) : 0;
  }

  long first_, number_ = -1, steps_ = 0, measured_ = 0;
  bool on_ = false;
  double mark_ = 0, sweeping_ = 0, exchanging_ = 0;
};

class ResidentHost final : public Executor {
public:
  ResidentHost(const Program& program, const Until& until)
      : device_(program.grid().device()), inner_(make_eager(device_)), team_(device_.world()) {
    for (const Item& item : program.items())
      period_ = std::min(std::lcm(period_, item.period), kLongestPeriod + 1);
    // The same on every rank, so from cells and no clock: a nanosecond a cell and sweep, a microsecond a step.
    const double cells = static_cast<double>(program.grid().all().cells()) / device_.world().size();
    const double step = 1e3 + cells * static_cast<double>(program.items().size());
    most_steps_ = std::clamp(static_cast<long>(kBatchNanoseconds / step), 1L, kLongestScript);
    if (Look::possible(program, until)) look_ = std::make_unique<Look>(device_, until);
  }
  const char* name() const override { return row_of(ExecutorKind::resident).name; }
  bool judges(const Until&) const override { return look_ != nullptr; }
  void take_over() override { script_ = nullptr; }

  void prepare(Walk& walk, long first, long last) override {
    walk.prepare(first, last);
    last_ = last;
    if (first <= last) find_script(walk, first);
  }

  Advance advance(Walk& walk, long first, long last) override {
    last_ = std::max(last_, last);
    if (!script_ || !script_->knows(first)) find_script(walk, first);
    if (!script_->knows(first)) { // it calls the host, which has to find everything in its place
      const Advance done = inner_->advance(walk, first, last);
      walk.settle();
      walk.jumped();
      return done;
    }
    last = std::min(last, first + batch_ - 1);
    if (script_->loop < 0) last = std::min(last, script_->first + script_->size() - 1);
    batch_ = std::min(2 * batch_, most_steps_);
    last = work(walk, first, last);
    leave(walk, first, last);
    return {last, look_ && look_->reached() && (last >= look_->end() || last == last_)};
  }

private:
  void find_script(Walk& walk, long first);
  Script written(Walk& walk, long first);
  Step step_of(Walk& walk, const PlannedStep& planned);
  long work(Walk& walk, long first, long last); // returns the last that was done
  void leave(Walk& walk, long first, long last);

  Device& device_;
  std::unique_ptr<Executor> inner_; // for steps with calls
  Team team_;
  long period_ = 1;     // of which items take part; more than kLongestPeriod where it is not used
  long most_steps_ = 1; // of a batch
  long batch_ = 8;
  long last_ = 0;                                    // step of the run
  std::unique_ptr<Look> look_;                       // where the team looks at `until` itself
  using Place = std::pair<const PlannedStep*, long>; // a step and where it stands in the period
  std::map<Place, Script> scripts_;                  // by their first steps
  Script* script_ = nullptr;                         // the one that is followed
  std::map<const PlannedStep*, std::vector<std::unique_ptr<HostTask>>> tasks_; // bound to the step's memories
};

// After a call a program often goes on as it did after the one before.
void ResidentHost::find_script(Walk& walk, long first) {
  const PlannedStep& planned = walk.planner().step(first, nullptr);
  const bool comes_round = period_ <= kLongestPeriod;
  const auto [at, is_new] = scripts_.try_emplace({&planned, comes_round ? first % period_ : first});
  if (is_new) at->second = written(walk, first);
  script_ = &at->second;
  script_->first = first;
}

// Plans the steps from `first` on until they come round, or up to one with a call. Memories are swapped on the way as
// the steps will swap them, and back.
Script ResidentHost::written(Walk& walk, long first) {
  Planner& planner = walk.planner();
  const PlanState before = planner.state();
  std::vector<const Swap*> swaps;
  std::map<Place, long> known;
  Script script;
  script.first = first;
  PlannedStep* planned = nullptr;
  for (long number = first; number <= last_ && script.size() < kLongestScript; ++number) {
    planned = &planner.step(number, planned);
    if (has_call(*planned)) break;
    if (period_ <= kLongestPeriod) {
      const auto [at, is_new] = known.try_emplace({planned, number % period_}, script.size());
      if (!is_new) {
        script.loop = at->second;
        break;
      }
    }
    script.steps.push_back(step_of(walk, *planned));
    for (const Op& op : script.steps.back().ops) {
      if (op.shared) script.threads = team_.threads();
      if (op.task) script.threads = std::max(script.threads, op.task->parts());
    }
    for (const PlannedOp& op : planned->ops)
      if (const auto* swap = std::get_if<Swap>(&op)) swaps.push_back(swap);
  }
  for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) (*swap)->a->swap(*(*swap)->b);
  planner.set_state(before);
  find_frees(script);
  return script;
}

// And does the step's swaps.
Step ResidentHost::step_of(Walk& walk, const PlannedStep& planned) {
  std::vector<std::unique_ptr<HostTask>>& tasks = tasks_[&planned];
  const bool bound = !tasks.empty();
  std::size_t next = 0;
  Step step{&planned, {}};
  const auto exchange_of = [&](const auto& what, Op& op) {
    if (what.needs.empty()) return;
    if (!what.exchange) what.exchange = walk.planner().exchange_for(what.needs);
    op.exchange = what.exchange.get();
    op.shared = team_.threads() > 1 && op.exchange->shared_cost() > kCostWorthSharing;
    for (const HaloNeed& need : what.needs) op.received.insert(need.field->memory_id());
    op.halos.insert(op.received.begin(), op.received.end());
  };
  for (const PlannedOp& what : planned.ops) {
    Op op;
    if (const auto* sweep = std::get_if<PlannedSweep>(&what)) {
      op.halos = touched_halos(*sweep);
      exchange_of(*sweep, op);
      if (!bound) tasks.push_back(sweep->sweep->host_task(sweep->boxes));
      op.task = tasks[next++].get();
      op.name = sweep->sweep->name().c_str();
    } else if (const auto* refresh = std::get_if<PlannedRefresh>(&what)) {
      exchange_of(*refresh, op);
    } else if (const auto* settlement = std::get_if<Settle>(&what)) {
      op.settlement = settlement->get();
      op.name = op.settlement->name().c_str();
    } else {
      const Swap& swap = std::get<Swap>(what);
      swap.a->swap(*swap.b);
      continue;
    }
    step.ops.push_back(std::move(op));
  }
  return step;
}

long ResidentHost::work(Walk& walk, long first, long last) {
  Stream& stream = device_.stream();
  const auto seed = Chaos::seed();
  long done = last;
  bool over = false; // thread 0 says so where all meet
  team_.run(script_->threads, [&](int thread, int threads) {
    std::optional<Chaos> chaos;
    if (seed) chaos.emplace(*seed + static_cast<std::uint64_t>(first), device_.world(), thread);
    const auto delay = [&] {
      if (chaos) chaos->delay();
    };
    // Thread 0 alone, all others waiting: once all have done an operation, and before the next.
    Clock clock(first);
    const auto end = [&](Op* op, long number) {
      if (!op) return;
      if (op->task) op->task->fold();
      const long sure = look_ ? std::min(last, look_->sure(number)) : last;
      for (const Free& free : op->frees)
        if (number + free.steps <= sure) free.exchange->free_ahead(stream);
    };
    const auto begin = [&](Op& op) {
      ++op.times;
      device_.world().doing(op.name);
      if (op.settlement) op.settlement->launch(stream);
      if (!op.exchange) return;
      delay();
      if (op.shared) {
        op.exchange->open(stream);
      } else {
        op.exchange->start(stream);
        op.exchange->wrap(stream);
        delay();
        op.exchange->finish(stream);
      }
    };
    Op* before = nullptr;
    long before_number = first;
    for (long number = first; number <= last && !over; ++number) {
      for (Op& op : script_->at(number).ops) {
        team_.meet(thread, [&] {
          clock.swept();
          end(before, before_number);
          clock.begin(number);
          begin(op);
          clock.exchanged();
        });
        if (op.shared) {
          op.exchange->share(thread, threads);
          delay();
          team_.meet(thread, [&] {
            op.exchange->close(stream);
            clock.exchanged();
          });
        }
        before = &op;
        before_number = number;
        delay();
        if (op.task) op.task->part(thread, threads);
      }
      if (!look_) continue;
      team_.meet(thread, [&] {
        clock.swept();
        end(before, before_number);
        delay();
        look_->after(number, number == last_);
        over = number >= look_->end();
        done = number;
      });
      before = nullptr;
    }
    team_.meet(thread, [&] {
      clock.swept();
      end(before, before_number);
    });
    if (thread == 0) walk.phases().add(done - first + 1, clock.sweeping(), clock.exchanging());
  });
  return done;
}

// The fields as the last step left them, and what is told of the steps.
void ResidentHost::leave(Walk& walk, long first, long last) {
  for (long number = first; number <= script_->once(first, last); ++number) {
    Step& step = script_->at(number);
    for (Op& op : step.ops) {
      walk.count(op.exchange, op.times);
      op.times = 0;
    }
    for (const PlannedOp& op : step.planned->ops)
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) sweep->sweep->check();
  }
  long swapped = first;
  if (script_->loop >= 0 && first - script_->first >= script_->loop) { // memories come round too
    const long period = script_->size() - script_->loop;
    swapped += (last - first + 1) / period * period;
  }
  for (; swapped <= last; ++swapped)
    for (const PlannedOp& op : script_->at(swapped).planned->ops)
      if (const auto* swap = std::get_if<Swap>(&op)) swap->a->swap(*swap->b);
  walk.planner().set_state(script_->at(last).planned->after);
  walk.jumped();
}

} // namespace

std::unique_ptr<Executor> make_resident_host(const Program& program, const Until& until) {
  return std::make_unique<ResidentHost>(program, until);
}

} // namespace tasuki

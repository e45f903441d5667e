// Persistent threads: one parallel region does many steps.
//
// The work of the steps is prepared in advance as a script (run/script.hpp). The threads of the team follow the script,
// with a barrier between sweeps. Thread 0 does what is not worth sharing while the others wait: small copies, flags and
// messages. It checks in every step whether a rank has received a signal, since a batch takes long on busy cores.
#include <tasuki/device/chaos.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/look.hpp>
#include <tasuki/run/sampled_clock.hpp>
#include <tasuki/run/script.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

namespace tasuki {
namespace {

constexpr double kBatchNanoseconds = 2.5e6; // on busy cores a batch takes many times longer

class ResidentHost final : public Executor {
public:
  ResidentHost(const Program& program, const Until& until)
      : device_(program.grid().device()),
        inner_(make_eager(device_)),
        team_(device_.world()),
        scripts_(program, team_) {
    // The estimate is equal on all ranks, so it uses no clock: a nanosecond per cell and sweep, a microsecond per step.
    const double cells = static_cast<double>(program.grid().all().cells()) / device_.world().size();
    const double step = 1e3 + cells * static_cast<double>(program.items().size());
    most_steps_ = std::clamp(static_cast<long>(kBatchNanoseconds / step), 1L, Scripts::kLongest);
    if (Look::possible(program, until)) look_ = std::make_unique<Look>(device_, until);
  }
  const char* name() const override { return row_of(ExecutorKind::resident).name; }
  bool judges(const Until&) const override { return look_ != nullptr; }
  void take_over() override { script_ = nullptr; }

  void prepare(Walk& walk, long first, long last) override {
    walk.prepare(first, last);
    first_ = first;
    last_ = last;
    if (first <= last) find_script(walk, first);
  }

  Advance advance(Walk& walk, long first, long last) override {
    last_ = std::max(last_, last);
    if (!script_ || !script_->knows(first)) find_script(walk, first);
    if (!script_->knows(first)) { // a call on the host needs the fields and validities up to date
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
  void find_script(Walk& walk, long first) {
    script_ = &scripts_.from(walk, first, last_);
    ahead_ = std::max(1L, script_->ahead());
  }
  long work(Walk& walk, long first, long last); // returns the last step done
  void leave(Walk& walk, long first, long last);

  Device& device_;
  std::unique_ptr<Executor> inner_; // for steps with calls
  Team team_;
  Scripts scripts_;
  Script* script_ = nullptr; // the current script
  long ahead_ = 1;           // steps that are certain to be done even after a signal
  long most_steps_ = 1;      // per batch
  long batch_ = 8;
  long first_ = 0, last_ = 0;  // steps of the run
  std::unique_ptr<Look> look_; // set if the team evaluates `until` itself
};

long ResidentHost::work(Walk& walk, long first, long last) {
  Stream& stream = device_.stream();
  Ranges& ranges = walk.phases().ranges();
  const auto seed = Chaos::seed();
  long done = last;
  std::atomic<long> stop = last; // reduced after a signal; thread 0 sets it at a barrier
  bool over = false;             // set in the same way when a look has ended the run
  team_.run(script_->threads, [&](int thread, int threads) {
    std::optional<Chaos> chaos;
    if (seed) chaos.emplace(*seed + static_cast<std::uint64_t>(first), device_.world(), thread);
    const auto delay = [&] {
      if (chaos) chaos->delay();
    };
    // Done by thread 0 while all others wait: after all threads have completed an operation, and before the next.
    SampledClock clock(first);
    long named = 0; // the step whose range is open in the profiler
    const auto name_step = [&](long number) {
      if (number == named) return;
      if (named) ranges.end();
      if (number) ranges.begin("step");
      named = number;
    };
    const auto end = [&](ScriptOp* op, long number) {
      if (!op) return;
      if (op->task) op->task->fold();
      ranges.end();
      const long certain = std::min(stop.load(), number + ahead_);
      const long sure = look_ ? std::min(certain, look_->sure(number)) : certain;
      for (const Free& free : op->frees)
        if (number + free.steps <= sure) free.exchange->free_ahead(stream);
    };
    const auto begin = [&](ScriptOp& op) {
      ++op.times;
      device_.world().doing(op.name);
      ranges.begin(op.task || op.settlement || !op.syncs.empty() ? op.name : "exchange");
      if (op.settlement) op.settlement->launch(stream);
      if (!op.syncs.empty()) synchronise(op.syncs, device_);
      if (!op.exchange) return;
      delay();
      if (op.task) ranges.begin("exchange");
      if (op.shared) {
        op.exchange->open(stream);
      } else {
        op.exchange->start(stream);
        op.exchange->wrap(stream);
        delay();
        op.exchange->finish(stream);
        if (op.task) ranges.end();
      }
    };
    ScriptOp* before = nullptr;
    long before_number = first;
    for (long number = first; number <= stop && !over; ++number) {
      bool asked = false;
      for (ScriptOp& op : script_->at(number).ops) {
        team_.meet(thread, [&] {
          clock.swept();
          end(before, before_number);
          clock.begin(number);
          // Halos are freed some steps ahead, so the end must be that far ahead; all ranks know it in the same step.
          // The first batch of a run is done in any case, as is the first stretch in all executors.
          if (!asked && first > first_ && walk.told_to_stop()) stop = std::min(stop.load(), number + ahead_);
          asked = true;
          name_step(number);
          begin(op);
          clock.exchanged();
        });
        if (op.shared) {
          op.exchange->share(thread, threads);
          delay();
          team_.meet(thread, [&] {
            op.exchange->close(stream);
            if (op.task) ranges.end();
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
      name_step(0);
    });
    if (thread == 0 && !look_) done = stop;
    if (thread == 0) walk.phases().add(done - first + 1, clock.sweeping(), clock.exchanging());
  });
  return done;
}

// Sets the fields to their state after the last step, and updates the counts.
void ResidentHost::leave(Walk& walk, long first, long last) {
  for (long number = first; number <= script_->once(first, last); ++number) {
    ScriptStep& step = script_->at(number);
    for (ScriptOp& op : step.ops) {
      walk.count(op.exchange, op.times);
      op.times = 0;
    }
    for (const PlannedOp& op : step.planned->ops)
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) sweep->sweep->check();
  }
  long swapped = first;
  if (script_->loop >= 0 && first - script_->first >= script_->loop) { // swaps are periodic too
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

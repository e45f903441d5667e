// Threads that stay: one parallel region does many steps.
//
// What a step does is worked out before and laid out as a script (run/script.hpp). The threads of the team walk through it,
// meet between a sweep and the next, and thread 0 does what is not worth sharing while the others wait: small copies, flags,
// messages. It asks in every step whether a signal has told some rank to stop: on busy cores a batch takes long.
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

constexpr double kBatchNanoseconds = 2.5e6; // on busy cores many times that

class ResidentHost final : public Executor {
public:
  ResidentHost(const Program& program, const Until& until)
      : device_(program.grid().device()),
        inner_(make_eager(device_)),
        team_(device_.world()),
        scripts_(program, team_) {
    // The same on every rank, so from cells and no clock: a nanosecond a cell and sweep, a microsecond a step.
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
  void find_script(Walk& walk, long first) {
    script_ = &scripts_.from(walk, first, last_);
    ahead_ = std::max(1L, script_->ahead());
  }
  long work(Walk& walk, long first, long last); // returns the last that was done
  void leave(Walk& walk, long first, long last);

  Device& device_;
  std::unique_ptr<Executor> inner_; // for steps with calls
  Team team_;
  Scripts scripts_;
  Script* script_ = nullptr; // the one that is followed
  long ahead_ = 1;           // steps that are certain to come, whoever is told to stop
  long most_steps_ = 1;      // of a batch
  long batch_ = 8;
  long first_ = 0, last_ = 0;  // steps of the run
  std::unique_ptr<Look> look_; // where the team looks at `until` itself
};

long ResidentHost::work(Walk& walk, long first, long last) {
  Stream& stream = device_.stream();
  Ranges& ranges = walk.phases().ranges();
  const auto seed = Chaos::seed();
  long done = last;
  std::atomic<long> stop = last; // earlier once a signal was heard; thread 0 says so where all meet
  bool over = false;             // likewise, where a look has ended the run
  team_.run(script_->threads, [&](int thread, int threads) {
    std::optional<Chaos> chaos;
    if (seed) chaos.emplace(*seed + static_cast<std::uint64_t>(first), device_.world(), thread);
    const auto delay = [&] {
      if (chaos) chaos->delay();
    };
    // Thread 0 alone, all others waiting: once all have done an operation, and before the next.
    SampledClock clock(first);
    long named = 0; // the step that a profiler is told of
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
      ranges.begin(op.task || op.settlement ? op.name : "exchange");
      if (op.settlement) op.settlement->launch(stream);
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
          // Halos are freed for steps ahead, so the end is as far away; all ranks hear of it in the same step.
          // The first batch of a run is done whatever was told, as its first stretch is by all executors.
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

// The fields as the last step left them, and what is told of the steps.
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

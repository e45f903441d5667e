#include <tasuki/run/run.hpp>

#include <tasuki/program/plan.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/phases.hpp>
#include <tasuki/run/vote.hpp>

#include <algorithm>
#include <chrono>

namespace tasuki {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChannels = kChannelNames.size();
using ChannelUses = std::array<ChannelUse, kChannels>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Walks planned steps. What is the same in every executor is here; what differs is Executor::sweep.
class Walk {
public:
  Walk(const Program& program, Executor& executor)
      : planner_(program.planner()),
        device_(program.grid().device()),
        executor_(executor),
        phases_(device_) {}

  // Plans the steps that are about to come and sets up their exchanges, so that none of it is done in their time.
  // Memories are swapped on the way as the steps will swap them, and back.
  void prepare(long first, long last) {
    constexpr long kAhead = 256; // steps: enough to meet what a program does every hundred
    const PlanState now = planner_.state();
    std::vector<const Swap*> swaps;
    PlannedStep* step = nullptr;
    for (long number = first; number <= std::min(last, first + kAhead); ++number) {
      step = &planner_.step(number, step);
      for (const PlannedOp& op : step->ops) {
        if (const auto* sweep = std::get_if<PlannedSweep>(&op)) exchange_of(*sweep);
        if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) exchange_of(*refresh);
        if (const auto* swap = std::get_if<Swap>(&op)) {
          swap->a->swap(*swap->b);
          swaps.push_back(swap);
        }
      }
    }
    for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) (*swap)->a->swap(*(*swap)->b);
    planner_.set_state(now);
  }

  void step(long number) {
    phases_.begin_step(number);
    PlannedStep* step = &planner_.step(number, last_);
    for (std::size_t k = 0; k < step->ops.size();) {
      const PlannedOp& op = step->ops[k++];
      if (const auto* sweep = std::get_if<PlannedSweep>(&op)) {
        count(exchange_of(*sweep));
        executor_.sweep(*sweep, phases_);
      } else if (const auto* refresh = std::get_if<PlannedRefresh>(&op)) {
        Exchange& exchange = *exchange_of(*refresh);
        count(&exchange);
        phases_.begin(Phase::exchange);
        exchange.start(device_.stream());
        exchange.wrap(device_.stream());
        exchange.finish(device_.stream());
        phases_.end();
      } else if (const auto* swap = std::get_if<Swap>(&op)) {
        swap->a->swap(*swap->b);
      } else {
        const auto& call = std::get<PlannedCall>(op);
        phases_.begin(Phase::call);
        planner_.set_state(call.here);
        call.call.function(number);
        phases_.end();
        const PlanState now = planner_.state();
        if (now == call.here) continue;
        step = &planner_.rest_of(*step, call.item + 1,
                                 now); // the call wrote a field: what follows is planned anew
        k = 0;
      }
    }
    last_ = step;
  }

  void settle() const {
    if (last_) planner_.set_state(last_->after);
  }

  Phases& phases() { return phases_; }
  const ChannelUses& channels() const { return channels_; }

private:
  template <class Planned>
  Exchange* exchange_of(const Planned& planned) {
    if (!planned.exchange && !planned.needs.empty()) planned.exchange = planner_.exchange_for(planned.needs);
    return planned.exchange.get();
  }
  void count(const Exchange* exchange) {
    if (!exchange) return;
    for (std::size_t k = 0; k < kChannels; ++k) {
      channels_[k].bytes += exchange->bytes(static_cast<ChannelKind>(k));
      channels_[k].messages += exchange->messages(static_cast<ChannelKind>(k));
    }
  }

  Planner& planner_;
  Device& device_;
  Executor& executor_;
  Phases phases_;
  PlannedStep* last_ = nullptr;
  ChannelUses channels_{};
};

// What the ranks measured becomes what the run reports.
void combine(World& world, RunReport& report, const ChannelUses& channels) {
  std::vector<double> seconds{report.seconds};
  for (const auto& [name, value] : report.phases) seconds.push_back(value);
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                world.comm());
  report.seconds = seconds[0];
  int k = 1;
  for (auto& [name, value] : report.phases) value = seconds[k++];
  std::array<long, 2 * kChannels> sums{};
  for (std::size_t c = 0; c < kChannels; ++c) {
    sums[2 * c] = channels[c].bytes;
    sums[2 * c + 1] = channels[c].messages;
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_LONG, MPI_SUM, world.comm());
  for (std::size_t c = 0; c < kChannels; ++c)
    report.channels[kChannelNames[c]] = {sums[2 * c], sums[2 * c + 1]};
}

} // namespace

RunReport run(const Program& program, const RunOptions& options) {
  World& world = program.grid().world();
  Device& device = program.grid().device();
  const auto executor = make_executor(device);
  const long last = options.done + options.times;
  ProgressView view(options.progress, world.settings().progress, world.rank() == 0, options.done, last);
  Vote vote(world);
  Walk walk(program, *executor);

  RunReport report;
  report.executor = executor->name();
  walk.prepare(options.done + 1, last);
  device.stream().synchronize();
  MPI_Barrier(world.comm());
  const auto start = Clock::now();
  long done = options.done;
  while (done < last) {
    walk.step(++done);
    if (options.until.reached && done % options.until.every == 0 && options.until.reached()) {
      report.reached = true;
      break;
    }
    const double seconds = seconds_since(start);
    if (vote.stop(seconds)) {
      report.interrupted = done < last;
      break;
    }
    if (vote.looked()) view.show(done, seconds);
  }
  walk.settle();
  device.stream().synchronize();
  MPI_Barrier(world.comm());
  report.seconds = seconds_since(start);
  report.steps = done - options.done;
  view.finish(done, report.seconds);
  report.phases = walk.phases().seconds(report.seconds, report.steps);
  combine(world, report, walk.channels());
  return report;
}

} // namespace tasuki

#include <tasuki/run/run.hpp>

#include <tasuki/base/agree.hpp>
#include <tasuki/base/digest.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/program/intent.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/host_look.hpp>
#include <tasuki/run/vote.hpp>
#include <tasuki/run/walk.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace tasuki {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChannels = kChannelNames.size();

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Combines the measurements of all ranks into the report.
void combine(World& world, RunReport& report, const ChannelUses& channels) {
  std::vector<double> seconds{report.seconds};
  for (const auto& [name, value] : report.phases) seconds.push_back(value);
  seconds = reduce_max(world, seconds);
  report.seconds = seconds[0];
  int k = 1;
  for (auto& [name, value] : report.phases) value = seconds[k++];
  std::vector<long> sums(2 * kChannels);
  sums.insert(sums.end(), {report.streamed.brought, report.streamed.taken});
  for (std::size_t c = 0; c < kChannels; ++c) {
    sums[2 * c] = channels[c].bytes;
    sums[2 * c + 1] = channels[c].messages;
  }
  sums = reduce_sum(world, sums);
  for (std::size_t c = 0; c < kChannels; ++c)
    report.channels[kChannelNames[c]] = {sums[2 * c], sums[2 * c + 1]};
  report.streamed = {sums[2 * kChannels], sums[2 * kChannels + 1]};
}

// Throws Error if the ranks are about to run different programs, or have different stopping conditions or monitors.
void expect_alike(const Program& program, const RunOptions& options) {
  const Until& until = options.until;
  const Monitor& monitor = options.monitor;
  const auto of_options = [&]() -> Terms {
    std::string looks = until.reached ? fmt::format("every {} steps, {} late", until.every, until.late) : "";
    if (until.reduction)
      looks += fmt::format(", {} {} {}", until.reduction->name(), until.below ? "below" : "above",
                           until.threshold);
    return {
        {"times", std::to_string(options.times)},
        {"done", std::to_string(options.done)},
        {"until", looks},
        {"monitor",
         monitor.told ? fmt::format("{}, every {} steps", monitor.reduction->name(), monitor.every) : ""}};
  };
  const std::uint64_t digest = Digest().add(digest_of(of_options())).add(digest_of(program)).value();
  agree(program.grid().world(), "begins a run", digest, [&] {
    Terms all = terms_of(program.items());
    for (const Terms& more : {of_options(), terms_of(program.planner())})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  });
}

// How a run looks at reductions: `until` that also tells its value, or a condition that never ends the run. A monitor of
// another reduction than `until`, or of other steps, is a call in the program.
struct Looking {
  Program program;
  Until until;

  Looking(const Program& given, const RunOptions& options) : program(given), until(options.until) {
    const Monitor& monitor = options.monitor;
    if (!monitor.told) return;
    if (!until.reached) {
      until = {.reached = [] { return false; },
               .every = monitor.every,
               .reduction = monitor.reduction,
               .late = monitor.every,
               .decides = [](const std::vector<char>&) { return false; },
               .told = monitor.told,
               .tests = false};
    } else if (until.reduction == monitor.reduction && until.decides && until.every == monitor.every) {
      until.told = monitor.told;
    } else {
      Items items = given.items();
      for (const Item& item :
           every(monitor.every, call([monitor](long step) {
                   detail::ReductionCore& reduction = *monitor.reduction;
                   monitor.told(step, detail::parts_of_all(reduction.world(), {&reduction}).front());
                 })))
        items.push_back(item);
      program = Program(items);
    }
  }
};

} // namespace

RunReport run(const Program& given, const RunOptions& options) {
  expect_alike(given, options);
  const Looking looking(given, options);
  const Program& program = looking.program;
  const Until& until = looking.until;
  World& world = program.grid().world();
  Device& device = program.grid().device();
  const Underway underway(world);
  if (world.settings().halo == kAutoHalo && !program.grid().chosen_halo())
    throw Error("--halo auto: this program leaves no choice of its halos",
                "give their width, or make its fields in with_best_halo()");
  const auto executor = make_executor(program, until, options.times);
  const long last = options.done + options.times;
  ProgressView view(options.progress, world.settings().progress, world.rank() == 0, options.done, last,
                    world.settings().label);
  Vote vote(world);
  Walk walk(program, &vote);
  const Doing now(world, "the beginning of a run"); // the walk sets the names of sweeps, which outlive it

  RunReport report;
  executor->prepare(walk, options.done + 1, last);
  std::optional<HostLook> look;
  const auto host_looks = [&] { // asked every time: auto may switch
    const bool looks = until.reached && !executor->judges(until);
    if (looks && !look && HostLook::possible(until)) look.emplace(device, until);
    return looks;
  };
  host_looks(); // its memory is no part of the steps
  device.stream().synchronize();
  barrier(world, "the other ranks to begin a run");
  world.doing("the steps of a run");
  const auto start = Clock::now();
  long done = options.done;
  long end = last;    // less once `until` is reached
  long before = done; // where the last stretch began
  const auto reached = [&](long step) {
    report.reached = true;
    end = std::min(last, step + until.late);
  };
  const auto decide = [&](long latest, bool all = false) {
    if (!look) return;
    if (const auto step = look->decide(done, latest, all); step && !report.reached) reached(*step);
  };
  while (done < end) {
    const double seconds = seconds_since(start);
    view.show(static_cast<double>(done), seconds);
    // The first stretch is done even after a signal: a program that stops has its final sums to compute.
    report.interrupted = done > options.done && vote.stop(seconds, done - before);
    if (report.interrupted) break;
    const bool looks = host_looks();
    if (!looks) decide(last + 1, true);
    if (done >= end) break;
    const bool asks = looks && (!report.reached || until.told);
    const long stop = asks ? next_stop(until, done, end) : end;
    Advance advance;
    {
      const NamedRange range(walk.phases().ranges(), "steps");
      advance = executor->advance(walk, done + 1,
                                  std::min(stop, done + std::max(vote.most_steps(), executor->together())));
    }
    before = done;
    done = advance.done;
    report.reached = report.reached || advance.reached;
    if (advance.reached) break;
    if (!asks) continue;
    const bool due = done % until.every == 0;
    if (due && look) look->ask(done);
    if (due && !look && until.reached()) reached(done);
    decide(due ? done : 0);
  }
  decide(last + 1, true);
  world.doing("the end of a run");
  walk.settle();
  device.stream().synchronize();
  barrier(world, "the other ranks to end a run");
  report.seconds = seconds_since(start);
  report.steps = done - options.done;
  report.executor = executor->name();
  report.tried = executor->tried();
  report.streamed = executor->streamed();
  view.finish(done, report.seconds);
  report.phases = walk.phases().seconds(report.seconds);
  combine(world, report, walk.channels());
  return report;
}

} // namespace tasuki

#include <tasuki/base/log.hpp>
#include <tasuki/model/streamed.hpp>
#include <tasuki/run/executor.hpp>
#include <tasuki/run/run.hpp>

namespace tasuki {

Advance StepExecutor::advance(Walk& walk, long first, long) {
  constexpr long kSteps = 32; // with about ten launches per step; the driver's queue holds about a thousand
  if (!ahead_) ahead_ = std::make_unique<Ahead>(walk.device(), kSteps);
  walk.step(first, *this);
  ahead_->enqueued(1);
  return {first};
}

namespace {

std::string none(const Program&) { return ""; }
bool cuda(const Program& program) { return program.grid().device().cuda(); }

std::string resident_trouble(const Program& program) {
  return cuda(program) ? trouble_with_resident(program) : "";
}
std::unique_ptr<Executor> eager(const Program& program, const Until&) {
  return make_eager(program.grid().device());
}
std::unique_ptr<Executor> overlapped(const Program& program, const Until&) {
  return make_overlapped(program.grid().device());
}
std::unique_ptr<Executor> resident(const Program& program, const Until& until) {
  return cuda(program) ? make_resident(program, until) : make_resident_host(program, until);
}

// The cost models of executors are in tasuki/model/executors.cpp.
constexpr ExecutorTable kTable = {{{ExecutorKind::eager, none, eager},
                                   {ExecutorKind::overlapped, none, overlapped},
                                   {ExecutorKind::graph, trouble_with_graph, make_graph},
                                   {ExecutorKind::blocked, trouble_with_blocked, make_blocked},
                                   {ExecutorKind::resident, resident_trouble, resident},
                                   {ExecutorKind::streamed, trouble_with_streamed, make_streamed}}};
static_assert(one_each(kTable));

} // namespace

std::string Candidate::trouble(const Program& program) const {
  if (program.grid().bands().any() && !meets(kind)) return kDoesNotMeet;
  return row_of(kind).gpus_only && !cuda(program) ? kNeedsGpu : trouble_here(program);
}

std::unique_ptr<Executor> make_executor(const Program& program, const Until& until, long times) {
  Device& device = program.grid().device();
  const std::string& wish = device.world().settings().executor;
  const bool few = times < kFewSteps;
  if (wish == kAutoExecutor && lies_outside(program) && trouble_with_streamed(program).empty()) {
    log_info(device.world(), [] { return "executor streamed, as fields lie in host memory"; });
    return make_streamed(program, until);
  }
  if (wish == kAutoExecutor && !few) return make_auto(program, until, times, kTable);
  for (const Candidate& candidate : kTable) {
    if (candidate.name() != wish) continue;
    const std::string why = candidate.trouble(program);
    // A short run, such as an initialization, need not use the executor that was chosen for the main program.
    if (!why.empty() && few) break;
    if (!why.empty())
      throw Error("--executor " + wish + " cannot do this program: " + why,
                  "take --executor auto, or one of the others");
    log_info(device.world(), [&] { return "executor " + wish + ", as --executor asks"; });
    return candidate.make(program, until);
  }
  log_debug(device.world(), [] { return "executor eager for a run of few steps"; });
  return make_eager(device);
}

} // namespace tasuki

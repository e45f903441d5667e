#include <tasuki/run/executor.hpp>

namespace tasuki {

Advance StepExecutor::advance(Walk& walk, long first, long) {
  constexpr long kSteps = 32; // of which each has some ten launches, and the driver holds a thousand
  if (!ahead_) ahead_ = std::make_unique<Ahead>(walk.device(), kSteps);
  walk.step(first, *this);
  ahead_->enqueued(1);
  return {first};
}

std::unique_ptr<Executor> make_executor(const Program& program, const Until& until, long times) {
  Device& device = program.grid().device();
  const std::string& wish = device.world().settings().executor;
  if (wish == "graph") return make_graph(program, until);
  if (wish == "resident" && !device.cuda()) return make_resident_host(program, until);
  constexpr long kFewSteps = 4; // a run of fewer is over before tiles are filled
  if (wish == "resident" && times >= kFewSteps) {
    if (const std::string why = trouble_with_resident(program, until); !why.empty())
      throw Error("--executor resident cannot do this program: " + why, "take graph, overlapped or auto");
    return make_resident(program, until);
  }
  // A host rank's own cores do the copying, so there is nothing to hide it behind.
  const bool overlapped =
      wish == "overlapped" || (wish == "auto" && device.cuda() && device.world().size() > 1);
  if (overlapped) return make_overlapped(device);
  return make_eager(device);
}

} // namespace tasuki

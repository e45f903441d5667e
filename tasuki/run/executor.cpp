#include <tasuki/run/executor.hpp>

namespace tasuki {

Advance StepExecutor::advance(Walk& walk, long first, long) {
  walk.step(first, *this);
  return {first};
}

std::unique_ptr<Executor> make_executor(const Program& program, const Until&) {
  Device& device = program.grid().device();
  const std::string& wish = device.world().settings().executor;
  if (wish == "resident" && !device.cuda()) return make_resident_host(program);
  // A host rank's own cores do the copying, so there is nothing to hide it behind.
  const bool overlapped =
      wish == "overlapped" || (wish == "auto" && device.cuda() && device.world().size() > 1);
  return overlapped ? make_overlapped(device) : make_eager(device);
}

} // namespace tasuki

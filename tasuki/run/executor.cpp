#include <tasuki/run/executor.hpp>

namespace tasuki {

std::unique_ptr<Executor> make_executor(Device& device) {
  const std::string& wish = device.world().settings().executor;
  const bool overlapped =
      wish == "overlapped" || (wish == "auto" && device.cuda() && device.world().size() > 1);
  return overlapped ? make_overlapped(device) : make_eager(device);
}

} // namespace tasuki

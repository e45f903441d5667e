#include <remote/client/follow.hpp>

namespace tasuki::remote {

void follow(VirtualDevice& device, u64 stream, VirtualDevice& other, u64 event) {
  const u64 token = device.hold(stream);
  other.calls().ask_then(call::WaitEvent{event}, [&device, token] { device.release_hold(token); });
}

} // namespace tasuki::remote

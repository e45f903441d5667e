#include <remote/client/follow.hpp>

namespace tasuki::remote {

void follow(VirtualDevice& device, u64 stream, VirtualDevice& other, u64 event) {
  if (device.peers().reach(other.peers())) {
    const u64 token = device.fresh();
    other.calls().post(call::TellPeer{other.peers().number_of(device.peers()), event, token});
    device.calls().post(call::AwaitPeer{device.peers().number_of(other.peers()), token, stream});
    return;
  }
  const u64 token = device.hold(stream);
  other.calls().ask_then(call::WaitEvent{event}, [&device, token] { device.release_hold(token); });
}

} // namespace tasuki::remote

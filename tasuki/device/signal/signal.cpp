#include <tasuki/base/variables.hpp>
#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

namespace tasuki {
namespace {

bool reached(Flag* flag, Flag value) {
  return static_cast<std::int32_t>(std::atomic_ref<Flag>(*flag).load(std::memory_order_acquire) - value) >= 0;
}

// TASUKI_GATE=kernel selects the waiting kernel even if stream memory operations are available.
cuda::Gate chosen_gate() {
  const std::string wish = variable_word("TASUKI_GATE").value_or("auto");
  if (wish == "kernel") return cuda::Gate::kernel;
  if (cuda::has_stream_gate()) return cuda::Gate::stream;
  if (wish == "stream") throw Error("this GPU has no stream memory operations", "set TASUKI_GATE=kernel");
  return cuda::Gate::kernel;
}

WatchHandle watch_of(const Device& device) { return device.world().part<Watch>().handle(); }

} // namespace

void raise(Stream& stream, const std::vector<Flag*>& flags, Flag value) {
  if (stream.kind() == DeviceKind::cuda) {
    cuda::raise_flags(stream.handle(), flags, value);
    return;
  }
  for (Flag* flag : flags) std::atomic_ref<Flag>(*flag).store(value, std::memory_order_release);
}

void await(Device& device, Stream& stream, const std::vector<Awaited>& flags, Flag value, const char* what) {
  if (stream.kind() == DeviceKind::cuda) {
    static const cuda::Gate gate = chosen_gate();
    cuda::await_flags(stream.handle(), flags, value, gate, watch_of(device));
    return;
  }
  for (const Awaited& a : flags)
    if (!reached(a.flag, value)) device.world().wait_until([&] { return reached(a.flag, value); }, what);
}

bool would_wait(const Stream& stream, const std::vector<Awaited>& flags, Flag value) {
  if (stream.kind() == DeviceKind::cuda) return false;
  return !std::all_of(flags.begin(), flags.end(), [=](const Awaited& a) { return reached(a.flag, value); });
}

void raise_next(Stream& stream, const std::vector<Flag*>& flags, const DeviceTurn& turn) {
  cuda::raise_next(stream.handle(), flags, turn.word());
}

void await_next(Device& device, Stream& stream, const std::vector<Awaited>& flags, const DeviceTurn& turn) {
  cuda::await_next(stream.handle(), flags, turn.word(), false, watch_of(device));
}

void await_last(Device& device, Stream& stream, const std::vector<Awaited>& flags, const DeviceTurn& turn) {
  cuda::await_next(stream.handle(), flags, turn.word(), true, watch_of(device));
}

} // namespace tasuki

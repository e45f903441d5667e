#include <remote/runtime/captures.hpp>
#include <remote/runtime/copies.hpp>
#include <remote/runtime/managed.hpp>

#include <served.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tasuki::remote {

Sides sides_of(void* to, const void* from, cudaMemcpyKind kind, const On& on) {
  const auto device_side = [&](const void* p) {
    const auto address = reinterpret_cast<u64>(p);
    VirtualDevice* owner = session().owner(address);
    return Side{owner ? owner : &on.device, address}; // no owner: a variable of the stream's device
  };
  // Memory that both reach is the device's, whatever the direction says.
  const auto host_side = [](const void* p) {
    return Side{mirrored(p) ? session().owner(reinterpret_cast<u64>(p)) : nullptr, reinterpret_cast<u64>(p)};
  };
  const auto either = [](const void* p) {
    return Side{session().owner(reinterpret_cast<u64>(p)), reinterpret_cast<u64>(p)};
  };
  switch (kind) {
    case cudaMemcpyHostToHost: return {host_side(to), host_side(from)};
    case cudaMemcpyHostToDevice: return {device_side(to), host_side(from)};
    case cudaMemcpyDeviceToHost: return {host_side(to), device_side(from)};
    case cudaMemcpyDeviceToDevice: return {device_side(to), device_side(from)};
    case cudaMemcpyDefault: return {either(to), either(from)};
  }
  throw Failure(static_cast<Status>(cudaErrorInvalidMemcpyDirection));
}

namespace {

// The stream as the copy's device knows it: a stream of another device is waited for instead.
u64 stream_at(VirtualDevice& device, const On& on) {
  if (&device == &on.device) return on.stream;
  not_captured(on);
  on.device.calls().ask<answer::Done>(call::WaitStream{on.stream});
  device.check();
  return 0;
}

// The graph's launches copy what the host's memory holds then, by a function of the stream's.
void capture_copy(Capture& capture, const On& on, void* to, const void* from, u64 bytes, const Sides& sides) {
  VirtualDevice* device = &on.device;
  if ((sides.to.device && sides.to.device != device) || (sides.from.device && sides.from.device != device))
    not_captured(on);
  const u64 to_device = sides.to.device ? sides.to.address : 0,
            from_device = sides.from.device ? sides.from.address : 0;
  capture.functions.push_back(device->captured_copy(on.stream, [=](u64 now) {
    if (to_device)
      device->copy_in(to_device, from, bytes, now);
    else if (from_device)
      device->copy_out(to, from_device, bytes, now);
    else
      std::memcpy(to, from, bytes);
  }));
}

} // namespace

Extent extent_of(const Place& at, const Box& box) { return {at.address, span_of(at, box)}; }

bool copy_alone(VirtualDevice& to_device, const Place& to, VirtualDevice& from_device, const Place& from,
                const Box& box, const On& on, Wait wait) {
  const bool pushes = &from_device == &on.device;
  if ((!pushes && &to_device != &on.device) || capture_of(on)) return false;
  VirtualDevice& other = pushes ? to_device : from_device;
  const Place &there = pushes ? to : from, &here = pushes ? from : to;
  const Extent reached = extent_of(there, box);
  const bool near = on.device.near().reach(other.near(), reached.address, reached.bytes);
  if (!near && !(other.holds(reached.address, reached.bytes) && on.device.peers().reach(other.peers())))
    return false;
  if (!near) other.near().share();
  // The default stream is that of both devices: the copy is behind what either has been given, and before what comes.
  const bool of_both = on.stream == 0 || wait == Wait::yes;
  if (of_both) other.calls().ask<answer::Done>(call::WaitStream{0});
  on.device.busy();
  other.busy();
  Connection& calls = on.device.calls();
  if (!near)
    calls.post(call::CopyPeer{on.device.peers().number_of(other.peers()), pushes ? 1u : 0u, here.address,
                              here.pitch, here.slice, there.address, there.pitch, there.slice, box.width,
                              box.height, box.depth, on.stream});
  else if (box.height == 1 && box.depth == 1)
    calls.post(call::Copy{to.address, from.address, box.width, on.stream});
  else
    calls.post(call::CopyBox{to.address, to.pitch, to.slice, from.address, from.pitch, from.slice, box.width,
                             box.height, box.depth, on.stream});
  if (of_both) calls.ask<answer::Done>(call::WaitStream{on.stream});
  return true;
}

void copy_across(VirtualDevice& to_device, u64 to, VirtualDevice& from_device, u64 from, u64 bytes,
                 const On& on, Wait wait) {
  constexpr u64 piece = 32u << 20;
  give_mirrored(on, {{to, bytes}, {from, bytes}});
  if (copy_alone(to_device, {to}, from_device, {from}, {bytes}, on, wait)) return;
  const u64 to_stream = stream_at(to_device, on), from_stream = stream_at(from_device, on);
  std::vector<unsigned char> between(std::min(bytes, piece));
  for (u64 done = 0; done < bytes; done += piece) {
    const u64 size = std::min(piece, bytes - done);
    from_device.copy_out(between.data(), from + done, size, from_stream);
    to_device.copy_in(to + done, between.data(), size, to_stream);
  }
  if (&to_device != &on.device) to_device.calls().ask<answer::Done>(call::WaitStream{to_stream});
}

void copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind, const On& on, Wait wait) {
  if (bytes == 0) return;
  if (!to || !from) throw Failure(Status::invalid_value);
  const Sides sides = sides_of(to, from, kind, on);
  give_mirrored(on, {{sides.to.address, bytes}, {sides.from.address, bytes}});
  if (const auto capture = capture_of(on); capture && !(sides.to.device && sides.from.device)) {
    capture_copy(*capture, on, to, from, bytes, sides);
  } else if (!sides.to.device && !sides.from.device) {
    on.device.calls().ask<answer::Done>(call::WaitStream{on.stream});
    std::memcpy(to, from, bytes);
  } else if (!sides.from.device) {
    VirtualDevice& device = *sides.to.device;
    const u64 stream = stream_at(device, on), to_address = sides.to.address;
    const auto until = wait == Wait::no ? VirtualDevice::Until::enqueued : VirtualDevice::Until::done;
    const bool may_change = pinned(from) && VirtualDevice::unsettled();
    if (may_change && wait == Wait::yes) device.calls().ask<answer::Done>(call::WaitStream{stream});
    if (device.copy_in_shared(to_address, from, bytes, stream, until)) {
      // the worker copies from there
    } else if (wait == Wait::no && may_change)
      device.copy_in_order(stream, [&device, to_address, from, bytes](u64 now) {
        device.copy_in(to_address, from, bytes, now);
      });
    else
      device.copy_in(to_address, from, bytes, stream);
    // A stream of another device goes on behind the copy only; and another device that reaches this memory may look once the
    // program takes the copy to be done.
    if (&device != &on.device || (wait == Wait::yes && device.near().shared()))
      device.calls().ask<answer::Done>(call::WaitStream{stream});
  } else if (!sides.to.device) {
    VirtualDevice& device = *sides.from.device;
    const u64 stream = stream_at(device, on);
    const bool later = wait == Wait::no && &device == &on.device && pinned(to);
    const auto until = later ? VirtualDevice::Until::enqueued : VirtualDevice::Until::done;
    if (device.copy_out_shared(to, sides.from.address, bytes, stream, until)) {
      // the worker copies to there
    } else if (later)
      device.copy_out_later(to, sides.from.address, bytes, stream);
    else
      device.copy_out(to, sides.from.address, bytes, stream);
  } else if (sides.to.device == sides.from.device) {
    VirtualDevice& device = *sides.to.device;
    device.busy();
    device.calls().post(call::Copy{sides.to.address, sides.from.address, bytes, stream_at(device, on)});
  } else {
    copy_across(*sides.to.device, sides.to.address, *sides.from.device, sides.from.address, bytes, on, wait);
  }
}

namespace served {

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  copy(dst, src, count, kind, resolve(nullptr), Wait::yes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  copy(dst, src, count, kind, resolve(stream), Wait::no);
  return cudaSuccess;
}

cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs, const size_t* sizes,
                                 size_t count, cudaMemcpyAttributes*, size_t*, size_t, cudaStream_t stream) {
  if (!stream) return cudaErrorInvalidValue; // as the page of this call says
  const On on = resolve(stream);
  for (size_t n = 0; n < count; ++n) copy(dsts[n], srcs[n], sizes[n], cudaMemcpyDefault, on, Wait::no);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return served::cudaMemsetAsync(devPtr, value, count, nullptr);
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  const On on = resolve(stream);
  if (count == 0) return cudaSuccess;
  const Sides sides = sides_of(devPtr, nullptr, cudaMemcpyHostToDevice, on);
  give_mirrored(on, {{sides.to.address, count}});
  sides.to.device->busy();
  sides.to.device->calls().post(
      call::Fill{sides.to.address, count, static_cast<u32>(value & 0xff), stream_at(*sides.to.device, on)});
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote

// Streams, and host functions that run in their order.
#include <remote/client/follow.hpp>
#include <remote/runtime/captures.hpp>

#include <served.hpp>

namespace tasuki::remote::served {

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return served::cudaStreamCreateWithPriority(pStream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned flags) {
  return served::cudaStreamCreateWithPriority(pStream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned flags, int priority) {
  if (!pStream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  *pStream = new_stream(current(), flags, std::max(-5, std::min(0, priority)));
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return cudaErrorInvalidResourceHandle;
  Stream& there = stream_of(stream);
  give_back_pools(*there.device, there.number);
  there.device->calls().post(call::DestroyStream{there.number});
  retire(there);
  return cudaSuccess;
}

static bool is_default(cudaStream_t stream) {
  return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = is_default(stream) ? static_cast<unsigned>(cudaStreamDefault) : stream_of(stream).flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = is_default(stream) ? 0 : stream_of(stream).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  *device = resolve(stream).device.index();
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* streamId) {
  const On on = resolve(stream);
  *streamId = (static_cast<u64>(on.device.index()) << 40) + on.stream; // unique in the program, not by device
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const On on = resolve(stream);
  not_captured(on);
  on.device.calls().ask<answer::Done>(call::QueryStream{on.stream});
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const On on = resolve(stream);
  not_captured(on);
  on.device.calls().ask<answer::Done>(call::WaitStream{on.stream});
  on.device.check();
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const On on = resolve(stream);
  Event& there = event_of(event);
  if (capture_of(on) || there.capture) return join_capture(on, there);
  if (!there.recorded) return cudaSuccess;
  on.device.busy();
  if (there.device == &on.device) {
    on.device.calls().post(call::WaitFor{on.stream, there.number});
    return cudaSuccess;
  }
  follow(on.device, on.stream, *there.device, there.number);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  if (!fn) return cudaErrorInvalidValue;
  const On on = resolve(stream);
  if (const auto capture = capture_of(on))
    capture->functions.push_back(on.device.captured_call(on.stream, [fn, userData] { fn(userData); }));
  else
    on.device.host_call(on.stream, [fn, userData] { fn(userData); });
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned flags) {
  if (!callback || flags) return cudaErrorInvalidValue;
  const On on = resolve(stream);
  not_captured(on);
  VirtualDevice& device = on.device;
  on.device.host_call(on.stream, [&device, stream, callback, userData] {
    callback(stream, static_cast<cudaError_t>(device.fault()), userData);
  });
  return cudaSuccess;
}

// Only the priority of a stream is stored; the other attributes are hints about caches, which are ignored.
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue* value_out) {
  *value_out = {};
  if (attr == cudaLaunchAttributePriority) return served::cudaStreamGetPriority(stream, &value_out->priority);
  return attr == cudaLaunchAttributeAccessPolicyWindow || attr == cudaLaunchAttributeSynchronizationPolicy
             ? cudaSuccess
             : cudaErrorInvalidValue;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue*) {
  resolve(stream);
  return attr == cudaLaunchAttributeAccessPolicyWindow || attr == cudaLaunchAttributeSynchronizationPolicy
             ? cudaSuccess
             : cudaErrorInvalidValue;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  resolve(dst);
  resolve(src);
  return cudaSuccess;
}

} // namespace tasuki::remote::served

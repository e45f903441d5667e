// Events: markers in streams. An event that was never recorded counts as completed.
#include <remote/runtime/captures.hpp>

#include <served.hpp>

namespace tasuki::remote::served {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return served::cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!event) return cudaErrorInvalidValue;
  if (flags & cudaEventInterprocess) return refuse("cudaEventInterprocess", "events are of one process");
  *event = new_event(current(), flags & cudaEventDisableTiming);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Event& there = event_of(event);
  there.device->calls().post(call::DestroyEvent{there.number});
  retire(there);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return served::cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags != cudaEventRecordDefault)
    return refuse("cudaEventRecordExternal", "record the event outside of the graph");
  Event& there = event_of(event);
  const On on = resolve(stream);
  if (there.device != &on.device) return cudaErrorInvalidResourceHandle;
  there.capture = capture_of(on);
  on.device.calls().post(call::Record{there.number, on.stream});
  there.recorded = true;
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Event& there = event_of(event);
  there.device->check();
  not_captured(there);
  if (there.recorded) there.device->calls().ask<answer::Done>(call::QueryEvent{there.number});
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Event& there = event_of(event);
  there.device->check();
  not_captured(there);
  if (there.recorded) there.device->calls().ask<answer::Done>(call::WaitEvent{there.number});
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  if (!ms) return cudaErrorInvalidValue;
  Event &from = event_of(start), &to = event_of(end);
  not_captured(from);
  not_captured(to);
  if (from.device != to.device || !from.recorded || !to.recorded ||
      (from.flags | to.flags) & cudaEventDisableTiming)
    return cudaErrorInvalidResourceHandle;
  *ms = from.device->calls().ask<answer::Duration>(call::Elapsed{from.number, to.number}).milliseconds;
  return cudaSuccess;
}

} // namespace tasuki::remote::served

#include <remote/runtime/captures.hpp>

#include <served.hpp>

#include <map>
#include <mutex>

namespace tasuki::remote {

namespace {

std::mutex captures_mutex;
std::atomic<int> under_way{0};
std::map<std::pair<VirtualDevice*, u64>, std::shared_ptr<Capture>>& captures() { // by stream
  static auto* all = new std::map<std::pair<VirtualDevice*, u64>, std::shared_ptr<Capture>>;
  return *all;
}

Status status(cudaError_t error) { return static_cast<Status>(error); }

} // namespace

std::shared_ptr<Capture> capture_of(const On& on) {
  if (under_way.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard hold(captures_mutex);
  const auto at = captures().find({&on.device, on.stream});
  return at == captures().end() ? nullptr : at->second;
}

void not_captured(const On& on) {
  const auto capture = capture_of(on);
  if (!capture) return;
  capture->spoilt = true;
  throw Failure(status(cudaErrorStreamCaptureUnsupported));
}

void not_captured(const Event& event) {
  if (event.capture) throw Failure(status(cudaErrorCapturedEvent));
}

void none_captured(VirtualDevice& device) {
  if (under_way.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard hold(captures_mutex);
  bool some = false;
  for (const auto& [stream, capture] : captures())
    if (capture->device == &device) some = capture->spoilt = true;
  if (some) throw Failure(status(cudaErrorStreamCaptureUnsupported));
}

cudaError_t join_capture(const On& on, Event& event) {
  const auto own = capture_of(on);
  const auto spoilt_by = [&](cudaError_t error) {
    if (own) own->spoilt = true;
    return error;
  };
  if (!event.capture) return event.recorded ? spoilt_by(cudaErrorStreamCaptureIsolation) : cudaSuccess;
  if (event.capture->over) return spoilt_by(cudaErrorCapturedEvent);
  if (own && own != event.capture) return spoilt_by(cudaErrorStreamCaptureMerge);
  if (event.device != &on.device || on.stream == 0) return spoilt_by(cudaErrorStreamCaptureUnsupported);
  on.device.calls().post(call::WaitFor{on.stream, event.number});
  std::lock_guard hold(captures_mutex);
  captures()[{&on.device, on.stream}] = event.capture;
  return cudaSuccess;
}

namespace served {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  const On on = resolve(stream);
  if (on.stream == 0) return cudaErrorStreamCaptureUnsupported;
  if (capture_of(on)) return cudaErrorIllegalState;
  static std::atomic<u64> number{0};
  auto capture = std::make_shared<Capture>();
  capture->device = &on.device;
  capture->origin = on.stream;
  capture->number = ++number;
  on.device.calls().post(call::BeginCapture{on.stream});
  std::lock_guard hold(captures_mutex);
  captures()[{&on.device, on.stream}] = std::move(capture);
  ++under_way;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  const On on = resolve(stream);
  const auto capture = capture_of(on);
  if (pGraph) *pGraph = nullptr;
  if (!capture) return cudaErrorIllegalState;
  if (capture->origin != on.stream) return cudaErrorStreamCaptureUnmatched;
  {
    std::lock_guard hold(captures_mutex);
    for (auto at = captures().begin(); at != captures().end();)
      at = at->second == capture ? captures().erase(at) : std::next(at);
    capture->over = true;
    --under_way;
  }
  const bool kept = pGraph && !capture->spoilt;
  const u64 number = kept ? on.device.fresh() : 0;
  try {
    const auto nodes = on.device.calls().ask<answer::Number>(call::EndCapture{on.stream, number}).value;
    if (kept) *pGraph = new_graph(on.device, number, nodes, std::move(capture->functions));
  } catch (const Failure& failure) {
    on.device.forget(capture->functions);
    if (capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    throw;
  }
  if (!kept) on.device.forget(capture->functions);
  return capture->spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  if (!pCaptureStatus) return cudaErrorInvalidValue;
  const auto capture = capture_of(resolve(stream));
  *pCaptureStatus = !capture          ? cudaStreamCaptureStatusNone
                    : capture->spoilt ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                     unsigned long long* id_out, cudaGraph_t* graph_out,
                                     const cudaGraphNode_t** dependencies_out,
                                     const cudaGraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  const auto capture = capture_of(resolve(stream));
  const cudaError_t error = served::cudaStreamIsCapturing(stream, captureStatus_out);
  if (!capture || error != cudaSuccess) return error;
  if (graph_out || dependencies_out || edgeData_out || numDependencies_out)
    return refuse("cudaStreamGetCaptureInfo of a graph under way", "ask for status and id alone");
  if (id_out) *id_out = capture->number;
  return cudaSuccess;
}

// Allocations and copies of other streams never belong to a capture at the server, in any mode.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode current_mode = cudaStreamCaptureModeGlobal;
  if (!mode) return cudaErrorInvalidValue;
  std::swap(*mode, current_mode);
  return cudaSuccess;
}

} // namespace served
} // namespace tasuki::remote

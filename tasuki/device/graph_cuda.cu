#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/cuda_check.hpp>

namespace tasuki::cuda {
namespace {

cudaStream_t stream_of(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaGraphExec_t graph_of(void* handle) { return static_cast<cudaGraphExec_t>(handle); }

} // namespace

// The capture is limited to this thread: other threads may call CUDA meanwhile.
void begin_capture(void* stream) {
  TASUKI_CUDA(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal));
}

void* end_capture(void* stream, long& nodes) {
  cudaGraph_t graph = nullptr;
  TASUKI_CUDA(cudaStreamEndCapture(stream_of(stream), &graph));
  std::size_t count = 0;
  cudaGraphExec_t ready = nullptr;
  cudaError_t fault = cudaGraphGetNodes(graph, nullptr, &count);
  // Nodes from an urgent stream keep its priority.
  if (fault == cudaSuccess)
    fault = cudaGraphInstantiate(&ready, graph, cudaGraphInstantiateFlagUseNodePriority);
  cudaGraphDestroy(graph);
  check(fault, "cudaGraphInstantiate");
  TASUKI_CUDA(cudaGraphUpload(ready, stream_of(stream)));
  nodes = static_cast<long>(count);
  return ready;
}

bool stream_captured(void* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TASUKI_CUDA(cudaStreamIsCapturing(stream_of(stream), &status));
  return status != cudaStreamCaptureStatusNone;
}

void abandon_capture(void* stream) noexcept {
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream_of(stream), &graph);
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError(); // the error that ended the capture has been reported
}

void launch_graph(void* graph, void* stream) {
  TASUKI_CUDA(cudaGraphLaunch(graph_of(graph), stream_of(stream)));
}

void free_graph(void* graph) noexcept { cudaGraphExecDestroy(graph_of(graph)); }

} // namespace tasuki::cuda

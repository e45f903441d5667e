// In the scope of a NotCaptured, calls of this thread are executed at once, even while a stream of it is being captured.
//
//   const NotCaptured now;
//   cudaMalloc(&data, bytes);   // no part of the graph, and no error
#pragma once

#include <tasuki/device/cuda_check.hpp>

namespace tasuki::cuda {

class NotCaptured {
public:
  NotCaptured() { TASUKI_CUDA(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~NotCaptured() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  NotCaptured(const NotCaptured&) = delete;
  NotCaptured& operator=(const NotCaptured&) = delete;

private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

} // namespace tasuki::cuda

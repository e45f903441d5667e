// What loops by hand on a GPU have in common: memory, and how they are timed.
#pragma once

#include <bench/bench.hpp>

#include <cuda_runtime.h>

#include <string>
#include <utility>

namespace tasuki::bench {

inline void check(cudaError_t fault, const char* what) {
  if (fault != cudaSuccess)
    throw Error(std::string(what) + " failed: " + cudaGetErrorString(fault),
                "give smaller sizes, or --device host");
}

template <class T>
class CudaArray {
public:
  explicit CudaArray(long n) {
    check(cudaMalloc(&data_, static_cast<std::size_t>(n) * sizeof(T)), "cudaMalloc");
    check(cudaMemset(data_, 0, static_cast<std::size_t>(n) * sizeof(T)), "cudaMemset");
  }
  ~CudaArray() { cudaFree(data_); }
  CudaArray(CudaArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  T* get() const { return data_; }

private:
  T* data_ = nullptr;
};

// Times launch() by events, many of them together.
template <class Launch>
void time_launches(benchmark::State& state, const Launch& launch) {
  const long steps = steps_together(DeviceKind::cuda);
  cudaEvent_t from, to;
  check(cudaEventCreate(&from), "cudaEventCreate");
  check(cudaEventCreate(&to), "cudaEventCreate");
  launch();
  launch();
  check(cudaDeviceSynchronize(), "a kernel");
  for (auto _ : state) {
    cudaEventRecord(from);
    for (long k = 0; k < steps; ++k) launch();
    cudaEventRecord(to);
    check(cudaEventSynchronize(to), "a kernel");
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    state.SetIterationTime(1e-3 * ms / static_cast<double>(steps));
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
}

inline unsigned blocks(long cells, unsigned threads) {
  return static_cast<unsigned>((cells + threads - 1) / threads);
}

} // namespace tasuki::bench

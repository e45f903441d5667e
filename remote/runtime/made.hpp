// The wrapper of every API call: it stores the error for cudaGetLastError, and counts the call.
//
//   extern "C" cudaError_t cudaMalloc(void** p, size_t n) { return made(7, [&] { return served::cudaMalloc(p, n); }); }
#pragma once

#include <remote/client/failure.hpp>

#include <cuda_runtime_api.h>

#include <exception>

namespace tasuki::remote {

extern const char* const call_names[];
extern const int call_count;

// Stores the error of a call as the thread's last one, and counts the call.
cudaError_t kept(int call, cudaError_t status);
// Prints one line, once per name.
cudaError_t refuse(const char* name, const char* mend);
// Prints one line about a failure that is not an error of CUDA.
cudaError_t surprised(const char* name, const char* what);

template <class Do>
cudaError_t made(int call, Do&& served) {
  cudaError_t status;
  try {
    status = served();
  } catch (const Failure& failure) {
    status = static_cast<cudaError_t>(failure.status());
  } catch (const std::exception& e) {
    status = surprised(call < 0 ? "a launch" : call_names[call], e.what());
  }
  return kept(call, status);
}

// During its lifetime, stream 0 is the per-thread default stream, as in programs compiled with per-thread streams.
class OwnDefaultStream {
public:
  OwnDefaultStream() : before_(on) { on = true; }
  ~OwnDefaultStream() { on = before_; }
  static thread_local bool on;

private:
  bool before_;
};

} // namespace tasuki::remote

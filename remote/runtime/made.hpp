// What stands around every call of the program's: its error is kept for cudaGetLastError, and it is counted.
//
//   extern "C" cudaError_t cudaMalloc(void** p, size_t n) { return made(7, [&] { return served::cudaMalloc(p, n); }); }
#pragma once

#include <remote/client/failure.hpp>

#include <cuda_runtime_api.h>

#include <exception>

namespace tasuki::remote {

extern const char* const call_names[];
extern const int call_count;

// The error of a call, kept as the thread's last; and the count of the call.
cudaError_t kept(int call, cudaError_t status);
// One line, once a name.
cudaError_t refuse(const char* name, const char* mend);
// A failure that is none of CUDA's, said in one line.
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

// While one lives, stream 0 is the thread's own default stream: what a program compiled with per-thread streams means.
class OwnDefaultStream {
public:
  OwnDefaultStream() : before_(on) { on = true; }
  ~OwnDefaultStream() { on = before_; }
  static thread_local bool on;

private:
  bool before_;
};

} // namespace tasuki::remote

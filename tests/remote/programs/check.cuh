// What every program of this folder asks with: a call that fails, or a fact that does not hold, ends it with its line.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                              \
  do {                                                                                        \
    const cudaError_t status_ = (call);                                                       \
    if (status_ != cudaSuccess) {                                                             \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

#define IS(fact)                                                     \
  do {                                                               \
    if (!(fact)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #fact); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

// Two numbers that must be the same.
#define SAME(one, other)                                                                 \
  do {                                                                                   \
    const auto one_ = (one);                                                             \
    const auto other_ = (other);                                                         \
    if (one_ != other_) {                                                                \
      std::printf("%s:%d: %s is %lld, and %s is %lld\n", __FILE__, __LINE__, #one,       \
                  static_cast<long long>(one_), #other, static_cast<long long>(other_)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

// A call that must fail with this error, and leaves it as the thread's last.
#define FAILS(error, call)                \
  do {                                    \
    SAME(call, error);                    \
    IS(cudaPeekAtLastError() == (error)); \
    IS(cudaGetLastError() == (error));    \
  } while (0)

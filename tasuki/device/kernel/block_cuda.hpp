// What the threads of a block, and the blocks of a kernel, do together.
//
//   value = block_fold<SumOf<float>>(value);                   // thread 0 has the sum of all threads
//   if (last_to_come(counter, gridDim.x)) value = load_past_l1(of_other_blocks);
#pragma once

#include <tasuki/device/kernel/bound.hpp>

#if !defined(__CUDACC_RTC__) // NVRTC needs neither header
#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif // otherwise tests/device/kernel/warp.hpp emulates it
#include <cstring>
#endif

namespace tasuki::detail {

template <class V>
__device__ V shuffle_down(V value, int by) {
  static_assert(sizeof(V) % 4 == 0);
  int words[sizeof(V) / 4];
  memcpy(words, &value, sizeof(V));
  for (int& word : words) word = __shfl_down_sync(0xffffffffu, word, by);
  memcpy(&value, words, sizeof(V));
  return value;
}

// Folds the values of all threads of a block in an order that depends only on their number; thread 0 has the result.
template <class Op>
__device__ typename Op::Value block_fold(typename Op::Value value) {
  using Value = typename Op::Value;
  __shared__ Value warps[kBlock / 32];
  for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
  __syncthreads(); // an earlier fold may still be read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < kBlock / 32; ++w) value = Op::combine(value, warps[w]);
  return value;
}

// True in all threads of the last of `of` blocks that call it. Resets the counter.
__device__ inline bool last_to_come(unsigned* counter, unsigned of) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(counter, of - 1) == of - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// Bypasses the L1 cache, which is not coherent with the stores of other blocks.
template <class V>
__device__ V load_past_l1(const V* p) {
  V value;
  int words[sizeof(V) / 4];
  for (unsigned k = 0; k < sizeof(V) / 4; ++k) words[k] = __ldcg(reinterpret_cast<const int*>(p) + k);
  memcpy(&value, words, sizeof(V));
  return value;
}

} // namespace tasuki::detail

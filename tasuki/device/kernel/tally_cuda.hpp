// Reductions in a sweep's kernel: partial results of threads, warps and blocks, and how they are folded into one
// value.
#pragma once

#include <tasuki/device/kernel/exact_thread_cuda.hpp>
#include <tasuki/device/tally.hpp>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif

#include <algorithm>
#include <tuple>

namespace tasuki::detail {

// A bound object as used by a thread that computes at most U cells.
template <class B, int U>
struct CudaPart;

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

template <class Op, int U>
struct CudaPart<BoundTally<Op, false>, U> {
  Running<Op> running;
  __device__ explicit CudaPart(const BoundTally<Op, false>&) : running{Op::identity()} {}
  template <Count count>
  __device__ __forceinline__ Tally<Op, Running<Op>, count> pass() {
    return {&running};
  }

  // Stores one partial result per warp, without a barrier between warps: fold() or fold_kernel combines them.
  __device__ void finish(const BoundTally<Op, false>& b) {
    typename Op::Value value = running.value;
    for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
    if (threadIdx.x % 32 == 0) b.partials[blockIdx.x * (kBlock / 32) + threadIdx.x / 32] = value;
  }

  // Called by the last block, in the order of a fold_kernel of one block. find() combines a thread's partials; it is
  // called for all reductions before fold() is called for any, so that their loads overlap.
  __device__ void find(const BoundTally<Op, false>& b) {
    running.value = Op::identity();
    for (unsigned k = threadIdx.x; k < gridDim.x * (kBlock / 32); k += kBlock)
      running.value = Op::combine(running.value, load_past_l1(b.partials + k));
  }
  __device__ void fold(const BoundTally<Op, false>& b) {
    const typename Op::Value value = block_fold<Op>(running.value);
    if (threadIdx.x == 0) *b.slot = b.first ? value : Op::combine(*b.slot, value);
  }
};

// Folds n partial results into the slot: each block folds its share, the last block folds the shares, in an order that
// depends only on n.
template <class Op>
__device__ void fold_partials(const BoundTally<Op, false>& b, long n) {
  using Value = typename Op::Value;
  Value* const shares = b.partials + n;
  const long from = n * blockIdx.x / gridDim.x, to = n * (blockIdx.x + 1) / gridDim.x;
  Value value = Op::identity();
  for (long k = from + threadIdx.x; k < to; k += kBlock) value = Op::combine(value, b.partials[k]);
  value = block_fold<Op>(value);
  if (threadIdx.x == 0) shares[blockIdx.x] = value;
  if (!last_to_come(b.counters, gridDim.x)) return;
  value = Op::identity();
  if (threadIdx.x < gridDim.x) value = load_past_l1(shares + threadIdx.x);
  value = block_fold<Op>(value);
  if (threadIdx.x == 0) *b.slot = b.first ? value : Op::combine(*b.slot, value);
}

// Near: uses the faster atomics in shared memory, for which only a kernel without other work has enough registers.
// Computes the digits of the sum of partials `from` to `to`, of each of the two per warp, visible to the whole block.
template <bool Near>
__device__ inline void digits_of_share(long long* digits, const double* partials, long warps, long from,
                                       long to) {
  constexpr int kAtOnce = 4;
  for (int k = threadIdx.x; k < ExactSum::kSize; k += kBlock) digits[k] = 0;
  __syncthreads();
  const auto put = [&](double x) {
    if constexpr (Near)
      add_to_near_digits(digits, x);
    else
      add_to_digits(digits, x);
  };
#pragma unroll 1
  for (int number = 0; number < 2; ++number, partials += warps) // separately, since their magnitudes differ
#pragma unroll 1
    for (long first = from; first < to; first += kAtOnce * kBlock) {
      double x[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const long at = first + k * kBlock + threadIdx.x;
        x[k] = at < to ? __ldcg(partials + at) : 0;
      }
      warp_exact<2>(
          x, [&](int, int, double sum) { put(sum); }, put);
    }
  __syncthreads();
}

// Folds a block's share of the partials of all warps; the last block then completes the result.
template <bool Near, class Op>
__device__ void fold_exact(const BoundTally<Op, true>& b, long warps, unsigned block, unsigned blocks) {
  __shared__ long long digits[ExactSum::kSize];
  digits_of_share<Near>(digits, b.partials, warps, warps * block / blocks, warps * (block + 1) / blocks);
  const int k = static_cast<int>(threadIdx.x);
  const bool mine = k < ExactSum::kSize;
  long long digit = mine ? digits[k] : 0;
  if (blocks > 1) {
    if (digit != 0) add_to_digit(b.spill + k, digit);
    if (!last_to_come(b.counters, blocks)) return;
    digit = 0;
  }
  if (!mine) return;
  if (const long long spilt = __ldcg(b.spill + k); spilt != 0) {
    digit += spilt;
    b.spill[k] = 0;
  }
  b.digits[k] = b.first ? digit : b.digits[k] + digit;
}
template <class Op>
__device__ void fold_partials(const BoundTally<Op, true>& b, long n) {
  fold_exact<true>(b, n, blockIdx.x, gridDim.x);
}

// One row of blocks per reduction.
template <class... T>
__global__ void __launch_bounds__(kBlock) fold_kernel(long n, T... tallies) {
  unsigned number = 0;
  ((number++ == blockIdx.y ? fold_partials(tallies, n) : void()), ...);
}

// The offers of a cell are added in its thread as they come; the sum over cells is exact.
template <class Op, int U>
struct CudaPart<BoundTally<Op, true>, U> {
  using Number = typename Op::Number;
  Running<Op> offered[U]; // the latest cell first, then the cells before it
  __device__ explicit CudaPart(const BoundTally<Op, true>&) {
#pragma unroll
    for (int k = 0; k < U; ++k) offered[k].value = 0;
  }
  template <Count count>
  __device__ __forceinline__ Tally<Op, Running<Op>, count> pass() {
#pragma unroll
    for (int k = U - 1; k > 0; --k) offered[k] = offered[k - 1];
    offered[0].value = 0;
    return {&offered[0]};
  }

  // Stores two partial results per warp. Floats rarely need the second.
  __device__ void finish(const BoundTally<Op, true>& b) {
    constexpr int kBins = sizeof(Number) < 8 ? 1 : 2;
    Number x[U];
#pragma unroll
    for (int k = 0; k < U; ++k) x[k] = offered[k].value;
    const unsigned warps = gridDim.x * (kBlock / 32), warp = blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
    const int rounds = warp_exact<kBins>(
        x,
        [&](int round, int bin, double sum) {
          if (const int number = round * kBins + bin; number < 2)
            b.partials[static_cast<long>(number) * warps + warp] = sum;
          else
            add_to_digits(b.spill, sum);
        },
        [&](double alone) { add_to_digits(b.spill, alone); });
    if (kBins == 1 && rounds == 1 && threadIdx.x % 32 == 0) b.partials[static_cast<long>(warps) + warp] = 0;
  }

  __device__ void find(const BoundTally<Op, true>&) {}
  __device__ void fold(const BoundTally<Op, true>& b) {
    fold_exact<false>(b, gridDim.x * (kBlock / 32), 0, 1);
  }
};

template <class B, int U>
struct WithPart {
  const B& bound;
  CudaPart<B, U> part;
  __device__ explicit WithPart(const B& b) : bound(b), part(b) {}
  template <Count count>
  __device__ __forceinline__ decltype(auto) pass() {
    return part.template pass<count>();
  }
  __device__ void finish() { part.finish(bound); }
  __device__ void find() { part.find(bound); }
  __device__ void fold() { part.fold(bound); }
  // The counter of finished blocks, if the sweep's last block folds (all reductions of a sweep agree); otherwise null.
  __device__ unsigned* counter() const {
    if constexpr (B::tallies)
      return bound.folds ? bound.counters : nullptr;
    else
      return nullptr;
  }
};

// The end of a sweep's block, after all of its cells. The last block folds the reductions if the sweep asks for it.
template <class... W>
__device__ __forceinline__ void finish_block(W&... with) {
  (with.finish(), ...);
  unsigned* counter = nullptr;
  ((counter = counter ? counter : with.counter()), ...);
  if (!counter || !last_to_come(counter, gridDim.x)) return;
  (with.find(), ...);
  (with.fold(), ...);
}

#if defined(__CUDACC__)

void check_launch(const char* what); // throws Error with CUDA's error message

template <class Op>
__global__ void empty_slot_kernel(typename Op::Value* slot) {
  *slot = Op::identity();
}

template <class B>
void start_slot_cuda(cudaStream_t stream, const B& b, bool empty) {
  if constexpr (B::tallies) {
    if (!b.first) return;
    if (!empty) return; // the fold initializes it
    if constexpr (B::exact) {
      cudaMemsetAsync(b.digits, 0, sizeof(ExactSum), stream);
    } else {
      empty_slot_kernel<typename B::Operation><<<1, 1, 0, stream>>>(b.slot);
      check_launch("a sweep of no cells");
    }
  }
}

template <class B>
auto partials_of(const B& b) {
  if constexpr (B::tallies)
    return std::tuple<B>(b);
  else
    return std::tuple<>();
}
// Folds the reductions of a sweep of `blocks` blocks, unless its last block has done so.
template <class... B>
void fold(cudaStream_t stream, unsigned blocks, const B&... bound) {
  std::apply(
      [&](const auto&... tallies) {
        constexpr unsigned kTallies = sizeof...(tallies);
        if constexpr (kTallies > 0) {
          if ((tallies.folds || ...)) return;
          const long n = static_cast<long>(blocks) * (kBlock / 32);
          const long of_folder = (tallies.exact || ...) ? 4 * kBlock : 8 * kBlock; // loaded at once
          const auto folders =
              static_cast<unsigned>(std::clamp(n / of_folder, 1L, static_cast<long>(kBlock)));
          fold_kernel<<<dim3(folders, kTallies), kBlock, 0, stream>>>(n, tallies...);
        }
      },
      std::tuple_cat(partials_of(bound)...));
}

#endif

// For few blocks, a further kernel costs more than the last block's fold; for many, the wait of every block costs more.
template <class B>
B folding(B b, unsigned blocks) {
  constexpr unsigned kFewBlocks = 256;
  if constexpr (B::tallies) b.folds = blocks <= kFewBlocks;
  return b;
}

template <class B>
B continued(B b) {
  if constexpr (B::tallies) b.first = false;
  return b;
}

} // namespace tasuki::detail

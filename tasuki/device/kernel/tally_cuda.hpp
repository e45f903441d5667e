// Reductions in a sweep's kernel: what a thread, a warp and a block make of what their cells offer, and who makes one
// value of that.
#pragma once

#include <tasuki/device/tally.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <tuple>

namespace tasuki::detail {

template <class B>
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

// Of all threads of the block, in an order that depends on nothing but their number; thread 0 has the result.
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

// True in all threads of the block that is the last of `of` to come here. Resets the counter.
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

// Past the L1 cache, where another block's value would not show.
template <class V>
__device__ V load_past_l1(const V* p) {
  V value;
  int words[sizeof(V) / 4];
  for (unsigned k = 0; k < sizeof(V) / 4; ++k) words[k] = __ldcg(reinterpret_cast<const int*>(p) + k);
  memcpy(&value, words, sizeof(V));
  return value;
}

template <class Op>
struct CudaPart<BoundTally<Op, false>> {
  Running<Op> running;
  __device__ CudaPart(const BoundTally<Op, false>&, long long*) : running{Op::identity()} {}
  template <Count count>
  __device__ __forceinline__ Tally<Op, Running<Op>, count> pass() {
    return {&running};
  }

  // One value a warp, no waiting for other warps: fold() or fold_kernel makes them one.
  __device__ void finish(const BoundTally<Op, false>& b) {
    typename Op::Value value = running.value;
    for (int by = 16; by > 0; by /= 2) value = Op::combine(value, shuffle_down(value, by));
    if (threadIdx.x % 32 == 0) b.partials[blockIdx.x * (kBlock / 32) + threadIdx.x / 32] = value;
  }

  // In the order of a fold_kernel of one block, by the block that comes last: what each thread finds, for all sums
  // before the threads' findings become one for any, so that their loads are on their way together.
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

// Folds n partial results into the slot: blocks fold their shares, the last to come folds those, all in an order that
// depends on nothing but n.
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

// A row of blocks for each reduction.
template <class... T>
__global__ void __launch_bounds__(kBlock) fold_kernel(long n, T... tallies) {
  unsigned number = 0;
  ((number++ == blockIdx.y ? fold_partials(tallies, n) : void()), ...);
}

template <class Op>
struct CudaPart<BoundTally<Op, true>> {
  long long* block_digits; // shared memory: one set a warp, so that warps do not queue for a digit
  RunningExact running;
  __device__ CudaPart(const BoundTally<Op, true>&, long long* shared)
      : block_digits(shared), running{shared + threadIdx.x / 32 * ExactSum::kSize} {
    for (int k = threadIdx.x; k < kBlock / 32 * ExactSum::kSize; k += kBlock) block_digits[k] = 0;
    __syncthreads();
  }
  template <Count count>
  __device__ __forceinline__ Tally<Op, RunningExact, count> pass() {
    return {&running};
  }

  __device__ void finish(const BoundTally<Op, true>& b) {
    __syncthreads();
    const int k = threadIdx.x;
    if (k >= ExactSum::kSize) return;
    long long sum = 0;
    for (int w = 0; w < kBlock / 32; ++w) sum += block_digits[w * ExactSum::kSize + k];
    if (sum == 0) return;
    const auto add = [&](int digit, long long amount) {
      atomicAdd(reinterpret_cast<unsigned long long*>(b.digits + digit),
                static_cast<unsigned long long>(amount));
    };
    if (k >= ExactSum::kDigits - 1) {
      add(k, sum);
    } else { // what exceeds 32 bits goes to the next digit: then as many blocks can add as a launch can have
      add(k, sum & 0xffffffffll);
      add(k + 1, sum >> 32);
    }
  }
  __device__ void find(const BoundTally<Op, true>&) {}
  __device__ void fold(const BoundTally<Op, true>&) {}
};

template <class B>
inline constexpr bool has_partials = false;
template <class Op>
inline constexpr bool has_partials<BoundTally<Op, false>> = true;

template <class B>
constexpr int exact_sets() {
  if constexpr (B::tallies)
    return B::exact ? 1 : 0;
  else
    return 0;
}

template <class B>
struct WithPart {
  const B& bound;
  CudaPart<B> part;
  __device__ WithPart(const B& b, long long* shared) : bound(b), part(b, shared) {}
  template <Count count>
  __device__ __forceinline__ decltype(auto) pass() {
    return part.template pass<count>();
  }
  __device__ void finish() { part.finish(bound); }
  __device__ void find() { part.find(bound); }
  __device__ void fold() { part.fold(bound); }
  // Of a sweep whose last block folds, which all of its reductions agree on: what blocks are counted by. Else null.
  __device__ unsigned* counter() const {
    if constexpr (has_partials<B>)
      return bound.folds ? bound.counters : nullptr;
    else
      return nullptr;
  }
};

void check_launch(const char* what); // throws Error with CUDA's own words

template <class Op>
__global__ void empty_slot_kernel(typename Op::Value* slot) {
  *slot = Op::identity();
}

template <class B>
void start_slot_cuda(cudaStream_t stream, const B& b, bool empty) {
  if constexpr (B::tallies) {
    if (!b.first) return;
    if constexpr (B::exact) cudaMemsetAsync(b.digits, 0, sizeof(ExactSum), stream);
    if (empty && !B::exact) {
      empty_slot_kernel<typename B::Operation><<<1, 1, 0, stream>>>(b.slot);
      check_launch("a sweep of no cells");
    }
  }
}

template <class B>
auto partials_of(const B& b) {
  if constexpr (has_partials<B>)
    return std::tuple<B>(b);
  else
    return std::tuple<>();
}
// What a sweep of so many blocks has left of its reductions, where its last block has not done it.
template <class... B>
void fold(cudaStream_t stream, unsigned blocks, const B&... bound) {
  std::apply(
      [&](const auto&... tallies) {
        constexpr unsigned kTallies = sizeof...(tallies);
        if constexpr (kTallies > 0) {
          if ((tallies.folds || ...)) return;
          const long n = static_cast<long>(blocks) * (kBlock / 32);
          const auto folders =
              static_cast<unsigned>(std::clamp(n / (8 * kBlock), 1L, static_cast<long>(kBlock)));
          fold_kernel<<<dim3(folders, kTallies), kBlock, 0, stream>>>(n, tallies...);
        }
      },
      std::tuple_cat(partials_of(bound)...));
}

// A kernel after the sweep costs more than a few hundred values, and less than a wait of every block of many.
template <class B>
B folding(B b, unsigned blocks) {
  constexpr unsigned kFewBlocks = 256;
  if constexpr (B::tallies) b.folds = !B::exact && blocks <= kFewBlocks;
  return b;
}

template <class B>
B continued(B b) {
  if constexpr (B::tallies) b.first = false;
  return b;
}

} // namespace tasuki::detail

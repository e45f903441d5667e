// Reductions in a sweep's kernel: partial results of threads, warps and blocks, and how they are folded into one
// value.
#pragma once

#include <tasuki/device/kernel/block_cuda.hpp>
#include <tasuki/device/kernel/exact_fold_cuda.hpp>
#include <tasuki/device/kernel/exact_thread_cuda.hpp>
#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/tally.hpp>

#if defined(__CUDACC__)
#include <tasuki/device/launch_next_cuda.hpp>

#include <cuda_runtime.h>
#endif

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace tasuki::detail {

// A bound object as used by a thread that computes at most U cells.
template <class B, int U>
struct CudaPart;

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

// One row of blocks per reduction.
template <class... T>
__global__ void __launch_bounds__(kBlock) fold_kernel(long n, T... tallies) {
  follow();
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

  // finish_block() does all of them at once.
  __device__ void finish(const BoundTally<Op, true>&) {}
  __device__ void find(const BoundTally<Op, true>&) {}
  __device__ void fold(const BoundTally<Op, true>&) {}
};

template <class B>
struct ExactNumberOf {
  using Type = void;
};
template <class Op>
struct ExactNumberOf<BoundTally<Op, true>> {
  using Type = typename Op::Number;
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
  static constexpr int cells = U;
  using ExactNumber = typename ExactNumberOf<B>::Type; // void unless it is an exact sum
  static constexpr bool exact = !std::is_void_v<ExactNumber>;
  __device__ ExactPartials exact_partials() const {
    if constexpr (exact)
      return {bound.partials, bound.spill, bound.digits, bound.first};
    else
      return {};
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

// Stores two partial results per warp for each exact sum of a sweep whose numbers are of type T. Floats rarely need the
// second.
template <class T, class... W>
__device__ __forceinline__ void finish_exact(const W&... with) {
  constexpr int kSums = (static_cast<int>(std::is_same_v<typename W::ExactNumber, T>) + ... + 0);
  if constexpr (kSums > 0) {
    constexpr int kBins = sizeof(T) < 8 ? 1 : 2, kCells = std::max({W::cells...});
    T x[kSums][kCells];
    int number = 0;
    const auto take = [&](const auto& one) {
      if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(one)>::ExactNumber, T>) {
#pragma unroll
        for (int k = 0; k < kCells; ++k) x[number][k] = one.part.offered[k].value;
        ++number;
      }
    };
    (take(with), ...);
    const auto sum_of = [&](int s) {
      ExactPartials sum;
      int at = 0;
      ((std::is_same_v<typename W::ExactNumber, T> && at++ == s ? void(sum = with.exact_partials()) : void()),
       ...);
      return sum;
    };
    const unsigned warps = gridDim.x * (kBlock / 32), warp = blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
    const int rounds = warp_exact_sums<kBins>(
        x,
        [&](int s, int round, int bin, double sum) {
          if (const int of_warp = round * kBins + bin; of_warp < 2)
            sum_of(s).partials[static_cast<long>(of_warp) * warps + warp] = sum;
          else
            add_to_digits(sum_of(s).spill, sum);
        },
        [&](int s, double alone) { add_to_digits(sum_of(s).spill, alone); });
    if (kBins == 1 && rounds == 1)
      if (const int s = static_cast<int>(threadIdx.x % 32); s < kSums)
        sum_of(s).partials[static_cast<long>(warps) + warp] = 0;
  }
}

// The end of a sweep's block, after all of its cells. The last block folds the reductions if the sweep asks for it.
template <class... W>
__device__ __forceinline__ void finish_block(W&... with) {
  (with.finish(), ...);
  finish_exact<float>(with...);
  finish_exact<double>(with...);
  unsigned* counter = nullptr;
  ((counter = counter ? counter : with.counter()), ...);
  if (!counter || !last_to_come(counter, gridDim.x)) return;
  (with.find(), ...);
  (with.fold(), ...);
  if constexpr (constexpr unsigned kSums = (static_cast<unsigned>(W::exact) + ... + 0u); kSums > 0)
    fold_by_warps<kSums>(gridDim.x * (kBlock / 32), [&](unsigned s) {
      ExactPartials sum;
      unsigned number = 0;
      ((W::exact && number++ == s ? void(sum = with.exact_partials()) : void()), ...);
      return sum;
    });
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
          // Loaded at once; but one block alone has no others to wait for.
          constexpr long kAlone = 8 * kBlock;
          const long of_folder = (tallies.exact || ...) && n > kAlone ? kAlone / 2 : kAlone;
          const auto folders =
              static_cast<unsigned>(std::clamp(n / of_folder, 1L, static_cast<long>(kBlock)));
          launch_next<&fold_kernel<std::remove_cvref_t<decltype(tallies)>...>>(
              dim3(folders, kTallies), kBlock, 0, stream, n, tallies...);
        }
      },
      std::tuple_cat(partials_of(bound)...));
}

#endif

// Whether the last block of a sweep folds the sweep's reductions, without a further kernel. For few blocks the kernel costs
// more than the last block's fold; for many, the wait of every block costs more. A kernel has blocks for each reduction;
// the last block has its eight warps for all of them.
constexpr bool last_block_folds(unsigned blocks, unsigned reductions) {
  constexpr unsigned kFewBlocks = 256;
  return blocks <= kFewBlocks / std::max(reductions, 1u);
}
template <class B>
B folding(B b, bool folds) {
  if constexpr (B::tallies) b.folds = folds;
  return b;
}

template <class B>
B continued(B b) {
  if constexpr (B::tallies) b.first = false;
  return b;
}

} // namespace tasuki::detail

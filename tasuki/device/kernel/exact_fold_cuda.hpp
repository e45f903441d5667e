// The fold of exact sums: the partials that the warps of a sweep have left become digits.
//
//   fold_by_warps<2>(warps, [&](unsigned sum) { return sum == 0 ? a : b; });   // several sums, by one block
//   fold_partials(bound, warps);                                               // one sum, by all blocks of a kernel
//
// A fold is a chain of loads and shuffles, so one sum after another takes as many times as long as there are sums. In
// fold_by_warps() each sum has warps of its own, and the chains run side by side.
#pragma once

#include <tasuki/device/kernel/block_cuda.hpp>
#include <tasuki/device/kernel/exact_thread_cuda.hpp>
#include <tasuki/device/tally.hpp>

namespace tasuki::detail {

// The partials that the warps of a sweep have left for a sum (two each, BoundTally), and where its digits go.
struct ExactPartials {
  double* partials = nullptr;
  long long *spill = nullptr, *digits = nullptr;
  bool first = true;
};

// Passes to put(x) numbers whose sum is exactly that of the partials of sweep's warps `from` to `to`. A warp calls it as
// one of several with `lanes` lanes together, of which its first is number `lane`.
template <int AtOnce, class Put>
__device__ __forceinline__ void add_partials(const double* partials, long warps, long from, long to,
                                             unsigned lane, unsigned lanes, const Put& put) {
#pragma unroll 1
  for (long first = from; first < to; first += static_cast<long>(AtOnce * lanes)) {
    double x[2][AtOnce]; // two sums, since the first and the second numbers of warps differ in magnitude
#pragma unroll
    for (int number = 0; number < 2; ++number)
#pragma unroll
      for (int k = 0; k < AtOnce; ++k) {
        const long at = first + static_cast<long>(static_cast<unsigned>(k) * lanes + lane + threadIdx.x % 32);
        x[number][k] = at < to ? __ldcg(partials + number * warps + at) : 0;
      }
    warp_exact_sums<2>(
        x, [&](int, int, int, double sum) { put(sum); }, [&](int, double alone) { put(alone); });
  }
}

// `sum_of(s)`: the partials of sum s. `warps`: those of the sweep.
template <unsigned Sums, class SumOf>
__device__ __forceinline__ void fold_by_warps(long warps, const SumOf& sum_of) {
  constexpr unsigned kWarps = kBlock / 32, kShares = Sums < kWarps ? kWarps / Sums : 1; // warps of a sum
  constexpr int kAtOnce = 4;
  __shared__ long long digits[Sums * ExactSum::kSize];
  for (unsigned k = threadIdx.x; k < Sums * ExactSum::kSize; k += kBlock) digits[k] = 0;
  __syncthreads();
  const unsigned warp = threadIdx.x / 32, share = warp % kShares;
#pragma unroll 1
  for (unsigned s = warp / kShares; s < Sums; s += kWarps / kShares) {
    const long from = warps * share / kShares, to = warps * (share + 1) / kShares;
    long long* const digits_of_sum = digits + s * ExactSum::kSize;
    add_partials<kAtOnce>(sum_of(s).partials, warps, from, to, 0, 32,
                          [&](double x) { add_to_digits(digits_of_sum, x); });
  }
  __syncthreads();
  for (unsigned at = threadIdx.x; at < Sums * ExactSum::kSize; at += kBlock) {
    const ExactPartials sum = sum_of(at / ExactSum::kSize);
    const unsigned k = at % ExactSum::kSize;
    long long digit = digits[at];
    if (const long long spilt = __ldcg(sum.spill + k); spilt != 0) {
      digit += spilt;
      sum.spill[k] = 0;
    }
    sum.digits[k] = sum.first ? digit : sum.digits[k] + digit;
  }
}

// Computes the digits of the sum of partials `from` to `to`, of each of the two per warp, visible to the whole block.
__device__ inline void digits_of_share(long long* digits, const double* partials, long warps, long from,
                                       long to) {
  constexpr int kAtOnce = 4;
  for (int k = threadIdx.x; k < ExactSum::kSize; k += kBlock) digits[k] = 0;
  __syncthreads();
  add_partials<kAtOnce>(partials, warps, from, to, threadIdx.x / 32 * 32, kBlock,
                        [&](double x) { add_to_near_digits(digits, x); });
  __syncthreads();
}

// Folds a block's share of the partials of all warps; the last block then completes the result.
template <class Op>
__device__ void fold_partials(const BoundTally<Op, true>& b, long warps) {
  const unsigned block = blockIdx.x, blocks = gridDim.x;
  __shared__ long long digits[ExactSum::kSize];
  digits_of_share(digits, b.partials, warps, warps * block / blocks, warps * (block + 1) / blocks);
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

} // namespace tasuki::detail

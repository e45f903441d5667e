// The value of an exact sum, by a warp.
//
//   const double x = warp_value(digits);   // all lanes call it with the same digits, and all get the value
//
// Alone, a thread needs some thousand cycles for the carries of 69 digits, which each wait for the one before. Here a
// carry moves on by one digit for all digits at once, and numbers rarely need more than four such moves.
#pragma once

#include <tasuki/device/kernel/exact_cuda.hpp>

namespace tasuki::detail {

// Moves what exceeds 32 bits to the next digit. Returns whether any digit did.
__device__ inline bool warp_carry(long long (&mine)[kDigitsOfLane]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  long long below = 0; // the carries of lane 31, for lane 0 of the next digits
  bool any = false;
#pragma unroll
  for (int m = 0; m < kDigitsOfLane; ++m) {
    const bool last = lane + 32 * m >= ExactSum::kDigits - 1;
    const long long carry = last ? 0 : mine[m] >> 32;
    any |= carry != 0;
    const long long come = __shfl_sync(kWholeWarp, carry, (lane + 31) % 32);
    mine[m] = (last ? mine[m] : mine[m] & 0xffffffffll) + (lane == 0 ? below : come);
    below = come;
  }
  return __any_sync(kWholeWarp, any);
}

// One more than the index of the highest digit that is not 0; 0 if all are.
__device__ inline int warp_top(const long long (&mine)[kDigitsOfLane]) {
  unsigned top = 0;
#pragma unroll
  for (int m = 0; m < kDigitsOfLane; ++m)
    if (mine[m] != 0) top = threadIdx.x % 32 + 32 * static_cast<unsigned>(m) + 1;
  return static_cast<int>(warp_max(top));
}

// Equals exact_value(). Changes the digits, in shared or global memory.
__device__ inline double warp_value(long long* digit) {
  constexpr int kMoves = 8;
  const int lane = static_cast<int>(threadIdx.x % 32);
  long long mine[kDigitsOfLane];
  bool odd = false; // a number that is no number, or infinite
#pragma unroll
  for (int m = 0; m < kDigitsOfLane; ++m) {
    const int k = lane + 32 * m;
    mine[m] = k < ExactSum::kDigits ? digit[k] : 0;
    odd |= k >= ExactSum::kDigits && k < ExactSum::kSize && digit[k] != 0;
  }
  bool negative = false, carries = true;
  if (!__any_sync(kWholeWarp, odd)) {
    // After three moves a digit is one of -1 to 2^32, so the highest one that is not 0 has the sign of the sum.
    for (int move = 0; move < 3; ++move) carries = warp_carry(mine);
    const int top = warp_top(mine) - 1;
    bool minus = false;
#pragma unroll
    for (int m = 0; m < kDigitsOfLane; ++m) minus |= lane + 32 * m == top && mine[m] < 0;
    negative = __any_sync(kWholeWarp, minus);
    if (negative) {
#pragma unroll
      for (int m = 0; m < kDigitsOfLane; ++m) mine[m] = -mine[m];
      carries = true;
    }
    for (int move = 3; move < kMoves && carries; ++move) carries = warp_carry(mine);
    // A first digit of -1 before one of 2^32 is 0, and the sign that of a lower digit.
    const int of_last = ExactSum::kDigits - 1;
    carries |= __any_sync(kWholeWarp, lane == of_last % 32 && mine[of_last / 32] < 0);
  }
  // Left to one thread: infinities, and carries that run through many digits of 0 or of ones.
  if (carries) return __shfl_sync(kWholeWarp, lane == 0 ? exact_value(digit) : 0.0, 0);
  const int top = warp_top(mine) - 1;
  if (top < 0) return 0;
  bool below = false;
  __syncwarp();
#pragma unroll
  for (int m = 0; m < kDigitsOfLane; ++m) {
    const int k = lane + 32 * m;
    if (k < ExactSum::kDigits) digit[k] = mine[m];
    below |= k < top - 2 && mine[m] != 0;
  }
  below = __any_sync(kWholeWarp, below);
  __syncwarp();
  const long long leading[3] = {digit[top], top > 0 ? digit[top - 1] : 0, top > 1 ? digit[top - 2] : 0};
  return exact_rounded(negative, top, leading, below);
}

} // namespace tasuki::detail

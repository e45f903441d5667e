// settle_once on a GPU.
#pragma once

#include <tasuki/device/for_each.hpp>
#include <tasuki/device/kernel/exact_value_cuda.hpp>
#include <tasuki/device/kernel/follow_cuda.hpp>
#include <tasuki/device/launch_next_cuda.hpp>
#include <tasuki/device/signal/rank_mail_device.hpp>
#include <tasuki/device/signal/settle.hpp>

#include <initializer_list>

namespace tasuki::detail {

// The bits of those that something is true of, the first lowest.
constexpr unsigned bits_of(std::initializer_list<bool> which) {
  unsigned bits = 0, bit = 1;
  for (const bool one : which) {
    bits |= one ? bit : 0;
    bit *= 2;
  }
  return bits;
}

using SettledValues = MailUnit (&)[MailParts::kMost][2];

// Merges the exact sums, a warp each. One piece of code for all of them: each of its copies would be loaded anew.
template <class... Op>
__device__ __forceinline__ void merge_exact(const MailParts& parts, int ranks, MailUnit* all,
                                            SettledValues value) {
  constexpr unsigned kLists = sizeof...(Op), kWarps = kBlock / 32;
  constexpr unsigned kSums = bits_of({Op::sums...});
  constexpr unsigned kSingle = bits_of({sizeof(typename Op::Value) == sizeof(float)...});
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll 1
  for (unsigned n = threadIdx.x / 32; n < static_cast<unsigned>(parts.sets) * kLists; n += kWarps) {
    const unsigned set = n / kLists, list = n % kLists;
    if ((kSums >> list & 1) == 0) continue;
    MailUnit* const digits =
        all + static_cast<int>(set) * parts.set_units() + parts.begin(static_cast<int>(list));
    add_digits(digits, ranks, parts.units(), lane, 32);
    __syncwarp();
    const double sum = warp_value(reinterpret_cast<long long*>(digits));
    const auto single = static_cast<float>(sum);
    if (lane != 0) continue;
    if (kSingle >> list & 1)
      memcpy(value[n], &single, sizeof single);
    else
      memcpy(value[n], &sum, sizeof sum);
  }
}

// `value` is a void*, since nvcc 13.0 fails with a MailUnit* here.
template <class Op>
__device__ __forceinline__ void merge(const MailUnit* parts, int ranks, int stride, void* value) {
  const typename Op::Value merged = combined<Op>(parts, ranks, stride);
  memcpy(__builtin_assume_aligned(value, 8), &merged, sizeof merged);
}

template <class... Op, class F, std::size_t... N>
__device__ __forceinline__ void settle_block(const RankMailHandle& mail, const MailParts& parts, bool exact,
                                             const F& f, const ScalarsOfSets& to, MailUnit* all,
                                             std::index_sequence<N...>) {
  constexpr unsigned kLists = sizeof...(Op), kWarps = kBlock / 32;
  __shared__ MailUnit value[MailParts::kMost][2];
  const Flag turn = *mail.turn + 1;
  cuda::trade(mail, parts, turn, all);
  __syncthreads();
  // Each other value is merged by the first lane of a warp, so that warps merge different values concurrently.
  const unsigned warp = threadIdx.x / 32;
  if (exact) merge_exact<Op...>(parts, mail.ranks, all, value);
  for (unsigned set = 0; threadIdx.x % 32 == 0 && set < static_cast<unsigned>(parts.sets); ++set)
    ((warp == (set * kLists + N) % kWarps && !(Op::sums && exact)
          ? merge<Op>(all + set * parts.set_units() + parts.begin(N), mail.ranks, parts.units(),
                      value[set * kLists + N])
          : void()),
     ...);
  __syncthreads();
  if (const unsigned set = threadIdx.x; set < static_cast<unsigned>(parts.sets))
    f(to.scalars[set], value_at<typename Op::Value>(value[set * kLists + N])...);
  if (threadIdx.x == 0) cuda::end_turn(mail, turn);
}

template <class F, class... Op>
__global__ void __launch_bounds__(kBlock)
    settle_kernel(const __grid_constant__ RankMailHandle mail, const __grid_constant__ MailParts parts,
                  bool exact, F f, const __grid_constant__ ScalarsOfSets to) {
  extern __shared__ MailUnit mail_of_all[];
  follow();
  settle_block<Op...>(mail, parts, exact, f, to, mail_of_all, std::index_sequence_for<Op...>{});
}

template <class... Op, class F>
void settle_cuda(Stream& stream, const RankMail& mail, const MailParts& parts, bool exact, const F& f,
                 const ScalarsOfSets& to) {
  static_assert(RankMailHandle::kUnits * sizeof(MailUnit) + MailParts::kMost * 16 <= 48 << 10);
  const std::size_t room = static_cast<std::size_t>(parts.units() * mail.handle().ranks) * sizeof(MailUnit);
  launch_next<&settle_kernel<F, Op...>>(1, kBlock, room, static_cast<cudaStream_t>(stream.handle()),
                                        mail.handle(), parts, exact, f, to);
  check_launch("a settlement");
}

} // namespace tasuki::detail

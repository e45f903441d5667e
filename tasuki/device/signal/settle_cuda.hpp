// settle_once on a GPU.
#pragma once

#include <tasuki/device/for_each.hpp>
#include <tasuki/device/signal/rank_mail_device.hpp>
#include <tasuki/device/signal/settle.hpp>

namespace tasuki::detail {

// Called by a warp; lane 0 stores the value.
template <class Op>
__device__ __forceinline__ void merge(MailUnit* parts, int ranks, int stride, bool exact, void* value) {
  using Value = typename Op::Value;
  const int lane = static_cast<int>(threadIdx.x % 32);
  Value merged;
  if (Op::sums && exact) {
    add_digits(parts, ranks, stride, lane, 32);
    __syncwarp();
    if (lane != 0) return;
    if constexpr (Op::sums) merged = static_cast<Value>(exact_value(reinterpret_cast<long long*>(parts)));
  } else {
    if (lane != 0) return;
    merged = combined<Op>(parts, ranks, stride);
  }
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
  // Each value is merged by one warp, so that warps merge different values concurrently.
  const unsigned warp = threadIdx.x / 32;
  for (unsigned set = 0; set < static_cast<unsigned>(parts.sets); ++set)
    ((warp == (set * kLists + N) % kWarps
          ? merge<Op>(all + set * parts.set_units() + parts.begin(N), mail.ranks, parts.units(), exact,
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
  settle_block<Op...>(mail, parts, exact, f, to, mail_of_all, std::index_sequence_for<Op...>{});
}

template <class... Op, class F>
void settle_cuda(Stream& stream, const RankMail& mail, const MailParts& parts, bool exact, const F& f,
                 const ScalarsOfSets& to) {
  static_assert(RankMailHandle::kUnits * sizeof(MailUnit) + MailParts::kMost * 16 <= 48 << 10);
  const std::size_t room = static_cast<std::size_t>(parts.units() * mail.handle().ranks) * sizeof(MailUnit);
  settle_kernel<F, Op...>
      <<<1, kBlock, room, static_cast<cudaStream_t>(stream.handle())>>>(mail.handle(), parts, exact, f, to);
  check_launch("a settlement");
}

} // namespace tasuki::detail

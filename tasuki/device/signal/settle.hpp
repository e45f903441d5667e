// settle_once(..): combines the partial results of reductions of all ranks, and computes scalars from them. On a GPU
// this is one kernel of one thread block, without the host.
#pragma once

#include <tasuki/device/exact_sum.hpp>
#include <tasuki/device/signal/rank_mail.hpp>
#include <tasuki/device/tally.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace tasuki {

struct ScalarsOfSets { // the device address of each set's scalars
  static constexpr int kMost = 32;
  double* scalars[kMost] = {};
};

} // namespace tasuki

namespace tasuki::detail {

template <class V>
TS_HD V value_at(const void* from) {
  static_assert(sizeof(V) <= 2 * sizeof(MailUnit) && std::is_trivially_copyable_v<V>);
  V value;
  memcpy(&value, __builtin_assume_aligned(from, 8), sizeof value);
  return value;
}

// Combines the parts of all ranks in the order of ranks. The part of rank r begins at `parts` + r `stride`.
template <class Op>
TS_HD typename Op::Value combined(const MailUnit* parts, int ranks, int stride) {
  typename Op::Value result = Op::identity();
  for (int rank = 0; rank < ranks; ++rank)
    result = Op::combine(result, value_at<typename Op::Value>(parts + rank * stride));
  return result;
}

// Adds a lane's share of the digits of all ranks to the digits of rank 0.
TS_HD void add_digits(MailUnit* parts, int ranks, int stride, int lane, int lanes) {
  for (int k = lane; k < ExactSum::kSize; k += lanes)
    for (int rank = 1; rank < ranks; ++rank) parts[k] += parts[rank * stride + k];
}

template <class... Op, class F, std::size_t... N>
void settle_on_host(RankMail& mail, const MailParts& parts, bool exact, const F& f, const ScalarsOfSets& to,
                    std::index_sequence<N...>) {
  MailUnit* const all = mail.trade(parts);
  const int ranks = mail.handle().ranks, stride = parts.units();
  const auto value = [&]<class One>(std::type_identity<One>, int set, int list) -> typename One::Value {
    MailUnit* const first = all + set * parts.set_units() + parts.begin(list);
    if constexpr (One::sums)
      if (exact) {
        add_digits(first, ranks, stride, 0, 1);
        return static_cast<typename One::Value>(exact_value(reinterpret_cast<long long*>(first)));
      }
    return combined<One>(first, ranks, stride);
  };
  for (int set = 0; set < parts.sets; ++set)
    f(to.scalars[set], value(std::type_identity<Op>{}, set, static_cast<int>(N))...);
}

} // namespace tasuki::detail

#if defined(__CUDACC__)
#include <tasuki/device/signal/settle_cuda.hpp>
#endif

namespace tasuki {

// Enqueues f(scalars, values..) for every set of `parts`, the partial results of this rank. Each part is a value, or an
// ExactSum for a sum if `exact`. `mail` transfers the parts. The result has the same bits on every rank, on hosts and
// on GPUs. Collective.
template <class... Op, class F>
void settle_once(Stream& stream, const char* name, RankMail& mail, const MailParts& parts, bool exact,
                 const F& f, const ScalarsOfSets& to) {
  if (stream.kind() == DeviceKind::host) {
    detail::settle_on_host<Op...>(mail, parts, exact, f, to, std::index_sequence_for<Op...>{});
    return;
  }
#if defined(__CUDACC__)
  detail::settle_cuda<Op...>(stream, mail, parts, exact, f, to);
  (void)name;
#else
  throw Error(std::string("settlement '") + name + "' was compiled without CUDA",
              "compile its source with nvcc (tasuki_add_program does), or run with --device host");
#endif
}

} // namespace tasuki

// Operations on each lane separately: map<F, R, A..> stores F::of(a ..) of the sources in the target.
#pragma once

#include <remote/ptx/body.hpp>
#include <remote/ptx/warp.hpp>

#include <tuple>
#include <utility>

namespace tasuki::remote::ptx {

template <class F, class R, class... A, std::size_t... K>
inline void map_lanes(Warp& w, const Op& op, Mask mask, std::index_sequence<K...>) {
  auto* to = w.at<Stored<R>>(op.d[0]);
  const std::tuple<const Stored<A>*...> from(w.at<Stored<A>>(op.s[K])...);
  each(mask, [&](int lane) { put<R>(to, lane, static_cast<R>(F::of(get<A>(std::get<K>(from), lane)...))); });
}

template <class F, class R, class... A>
void map(Warp& w, const Op& op, Mask mask) {
  map_lanes<F, R, A...>(w, op, mask, std::index_sequence_for<A...>());
}

// map<F<T>, T, T, T> for the integer type T of a Type; bits count as unsigned.
template <template <class> class F, int Sources>
Op::Run integer_map(const Body& b, Type type) {
  const auto of = [](auto t) -> Op::Run {
    using T = decltype(t);
    if constexpr (Sources == 1)
      return &map<F<T>, T, T>;
    else if constexpr (Sources == 2)
      return &map<F<T>, T, T, T>;
    else
      return &map<F<T>, T, T, T, T>;
  };
  switch (type) {
    case Type::u16:
    case Type::b16: return of(std::uint16_t());
    case Type::s16: return of(std::int16_t());
    case Type::u32:
    case Type::b32: return of(std::uint32_t());
    case Type::s32: return of(std::int32_t());
    case Type::u64:
    case Type::b64: return of(std::uint64_t());
    case Type::s64: return of(std::int64_t());
    default: b.refuse();
  }
}

} // namespace tasuki::remote::ptx

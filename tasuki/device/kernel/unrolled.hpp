// A loop whose index is a constant, for cells of many numbers: directions of a lattice, axes, components.
//
//   struct Total {
//     TS_CELL void operator()(auto c, auto f, auto sum) const { // Field<float[19]> f
//       float all = 0;
//       ts::unrolled<19>([&](auto q) { all += f[q](c); });
//       sum(c) = all;
//     }
//   };
//
// The function is called with 0 to N - 1 in this order, as in `for (int q = 0; q < 19; ++q)`. Since q is a constant, nothing is left
// of tables that it indexes, and p stays in registers. A compiler may keep a `for` as a loop, and g++ does so if the body is
// long: each cell then fills the tables anew, and rows do not become vectors. On a host a collision of 19 directions took
// 25 times as long. A `return` in the function goes on with the next index; nothing ends the loop early.
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki {

// An int that is part of the type, so that it is a constant wherever it is used.
template <int I>
struct ConstantIndex {
  static constexpr int value = I;
  TS_CELL constexpr operator int() const { return I; }
};

// N: at least 0.
template <int N, int First = 0, class Op>
TS_CELL void unrolled(Op&& op) {
  if constexpr (First < N) {
    op(ConstantIndex<First>{});
    unrolled<N, First + 1>(op);
  }
}

} // namespace tasuki

// The Dirac matrices, in the non-relativistic basis, in which gamma_t is diagonal:
//   gamma_t = diag(1, 1, -1, -1), gamma_k = [[0, -i sigma_k], [i sigma_k, 0]],
//   gamma_5 = gamma_x gamma_y gamma_z gamma_t = -[[0, 1], [1, 0]].
//
// A hop along an axis needs only (1 - sign gamma) of a spinor, which two spin components determine: a half spinor.
// Along t these are two components of the spinor itself, so that only half of a neighbour is read.
#pragma once

#include <apps/wilson/lattice/su3.hpp>

namespace tasuki::wilson {

template <class R>
struct HalfSpinor {
  Vector<R> s[2];
};

// i sigma_axis times a spinor's two upper or two lower components.
template <int Axis, class R>
TS_HD HalfSpinor<R> i_sigma(const HalfSpinor<R>& a) {
  if constexpr (Axis == 0) return {{times_i(a.s[1]), times_i(a.s[0])}};
  if constexpr (Axis == 1) return {{a.s[1], R(-1) * a.s[0]}};
  if constexpr (Axis == 2) return {{times_i(a.s[0]), R(-1) * times_i(a.s[1])}};
}

template <int Sign, class R>
TS_HD HalfSpinor<R> signed_sum(const HalfSpinor<R>& a, const HalfSpinor<R>& b) { // a + Sign b
  if constexpr (Sign > 0)
    return {{a.s[0] + b.s[0], a.s[1] + b.s[1]}};
  else
    return {{a.s[0] - b.s[0], a.s[1] - b.s[1]}};
}

// The two independent components of (1 - Sign gamma_Axis) psi: the upper ones along x, y and z; along t half of the
// two that are not zero. load(k) is the k-th real of psi.
template <int Axis, int Sign, class R, class Load>
TS_HD HalfSpinor<R> project(const Load& load) {
  const auto half = [&](int first) {
    return HalfSpinor<R>{{load_vector<R>(load, first), load_vector<R>(load, first + 6)}};
  };
  if constexpr (Axis == 3)
    return half(Sign > 0 ? 12 : 0);
  else
    return signed_sum<Sign>(half(0), i_sigma<Axis>(half(12)));
}

// sum += the spinor that the half spinor h determines.
template <int Axis, int Sign, class R>
TS_HD void add_whole(Spinor<R>& sum, const HalfSpinor<R>& h) {
  if constexpr (Axis == 3) {
    constexpr int kFirst = Sign > 0 ? 2 : 0;
    WILSON_UNROLL
    for (int s = 0; s < 2; ++s) sum.s[kFirst + s] = sum.s[kFirst + s] + R(2) * h.s[s];
  } else {
    const HalfSpinor<R> lower = i_sigma<Axis>(h);
    WILSON_UNROLL
    for (int s = 0; s < 2; ++s) {
      sum.s[s] = sum.s[s] + h.s[s];
      if constexpr (Sign > 0)
        sum.s[2 + s] = sum.s[2 + s] - lower.s[s];
      else
        sum.s[2 + s] = sum.s[2 + s] + lower.s[s];
    }
  }
}

template <class R>
TS_HD Spinor<R> gamma5(const Spinor<R>& a) {
  return {{R(-1) * a.s[2], R(-1) * a.s[3], R(-1) * a.s[0], R(-1) * a.s[1]}};
}

} // namespace tasuki::wilson

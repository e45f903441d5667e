// The SU(2) subgroups of SU(3), and random elements of them: the parts of an SU(3) update by Cabibbo and Marinari
// (Phys. Lett. B 119, 387 (1982)).
#pragma once

#include <apps/wilson/gauge/random.hpp>
#include <apps/wilson/lattice/su3.hpp>

namespace tasuki::wilson {

// a0 + i (a1 sigma_x + a2 sigma_y + a3 sigma_z): an SU(2) matrix if the length is 1.
struct Quaternion {
  double a[4];

  friend TS_HD Quaternion operator*(const Quaternion& l, const Quaternion& r) {
    const double *a = l.a, *b = r.a;
    return {{a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
             a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
             a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
             a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1]}};
  }
};
TS_HD Quaternion adjoint(const Quaternion& q) { return {{q.a[0], -q.a[1], -q.a[2], -q.a[3]}}; }

// The part q of w's rows and columns I and J on which Re tr a w depends, for a in that subgroup: Re tr a w is 2 times
// the first component of a q, plus a constant. As a length and a direction.
struct Polar {
  double length;
  Quaternion direction; // 1 if the length is 0
};
template <int I, int J>
TS_HD Polar part_of(const Matrix<double>& w) {
  const double q[] = {0.5 * (w.e[I][I].re + w.e[J][J].re), 0.5 * (w.e[I][J].im + w.e[J][I].im),
                      0.5 * (w.e[I][J].re - w.e[J][I].re), 0.5 * (w.e[I][I].im - w.e[J][J].im)};
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double scale = length > 1e-30 ? 1.0 / length : 0.0;
  return {length, {{length > 1e-30 ? scale * q[0] : 1.0, scale * q[1], scale * q[2], scale * q[3]}}};
}

// a m, for a in the subgroup of rows I and J.
template <int I, int J>
TS_HD void rotate_column(const Quaternion& a, Matrix<double>& m, int k) {
  const Complex<double> ii{a.a[0], a.a[3]}, ij{a.a[2], a.a[1]}, ji{-a.a[2], a.a[1]}, jj{a.a[0], -a.a[3]};
  const Complex<double> i = m.e[I][k], j = m.e[J][k];
  m.e[I][k] = multiply_add(ii, i, ij * j);
  m.e[J][k] = multiply_add(ji, i, jj * j);
}
template <int I, int J>
TS_HD void rotate(const Quaternion& a, Matrix<double>& m) {
  rotate_column<I, J>(a, m, 0); // no loop: it would prevent the vectorisation over cells
  rotate_column<I, J>(a, m, 1);
  rotate_column<I, J>(a, m, 2);
}

inline constexpr int kMostTries = 48, kDrawsOfASubgroup = 64;

// Tries to draw b0 from sqrt(1 - b0^2) exp(alpha b0); false if the number is rejected. Above alpha = 0.86 by Kennedy
// and Pendleton (Phys. Lett. B 156, 393 (1985)); below, from the group's own measure, which is then accepted more
// often. At least 0.46 of the tries are accepted.
TS_HD bool try_first(double alpha, const Words& words, double& b0) {
  double c, s;
  cos_sin_of_turn(words.w[1], c, s);
  if (alpha > 0.86) {
    const double delta =
        -(log_of_unit(open_unit(words.w[0])) * (c * c) + log_of_unit(open_unit(words.w[2]))) / alpha;
    const double u = open_unit(words.w[3]);
    b0 = 1.0 - delta;
    return u * u <= 1.0 - 0.5 * delta;
  }
  b0 = sqrt(open_unit(words.w[0])) * c;
  return log_of_unit(open_unit(words.w[3])) <= alpha * (b0 - 1.0);
}

// Draws b of SU(2) with weight exp(alpha b0) in the group's measure. False after kMostTries (with a probability of
// 1e-12): the link then does not change. This depends on alpha only, and alpha does not depend on the link, so the
// distribution is unchanged. Uses draws first to first + kDrawsOfASubgroup - 1.
TS_HD bool draw(double alpha, const Draws& draws, std::uint32_t first, Quaternion& b) {
  double b0 = 0;
  std::uint32_t tried = 0;
  while (!try_first(alpha, draws(first + tried), b0))
    if (++tried == kMostTries) return false;
  const Words words = draws(first + kMostTries);
  double c, s;
  cos_sin_of_turn(words.w[0], c, s);
  const double up = 2.0 * open_unit(words.w[1]) - 1.0, length2 = 1.0 - b0 * b0,
               length = length2 > 0 ? sqrt(length2) : 0.0, flat = length * sqrt(1.0 - up * up);
  b = {{b0, flat * c, flat * s, length * up}};
  return true;
}

} // namespace tasuki::wilson

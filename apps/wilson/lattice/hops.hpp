// Neighbouring sites: the cell of a neighbour, and the matrix of a field at that cell.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/lattice/su3.hpp>

namespace tasuki::wilson {

// A path along links, as an offset from the cell of its first site. A step along x flips the lowest bit of x; a step
// along another axis flips both parity and row, and so keeps that bit.
struct Hop {
  int bit; // lowest bit of x
  int by[kAxes];

  template <class C>
  static TS_HD Hop from(const C& c, int parity) {
    return {x_bit(parity, row_parity(c)), {0, 0, 0, 0}};
  }
  TS_HD Hop forward(int mu) const {
    Hop next = *this;
    next.by[mu] += mu == 0 ? forward_x(bit) : 1;
    if (mu == 0) next.bit = 1 - bit;
    return next;
  }
  TS_HD Hop backward(int mu) const {
    Hop next = *this;
    next.by[mu] += mu == 0 ? backward_x(bit) : -1;
    if (mu == 0) next.bit = 1 - bit;
    return next;
  }
};

// The matrix of a field in cell c, or at the end of a path that begins there.
template <class V, class C>
TS_HD Matrix<double> load(const V& field, const C& c) {
  return load_matrix<double>([&](int k) { return double(field[k](c)); });
}
template <class V, class C>
TS_HD Matrix<double> load(const V& field, const C& c, const Hop& hop) {
  return load_matrix<double>([&](int k) { return field[k](c, hop.by[0], hop.by[1], hop.by[2], hop.by[3]); });
}
template <class V, class C>
TS_HD void store(const V& field, const C& c, const Matrix<double>& m) {
  store_matrix(m, [&](int k, double x) { field[k](c) = x; });
}

} // namespace tasuki::wilson

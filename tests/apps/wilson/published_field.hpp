// The gauge field and the source of the CCS QCD solver benchmark (Ishikawa, Kuramashi, Ukawa, Boku: ccs-qcd, version 0.92),
// made here from what its source says of them, so that the numbers it comes with can be asked for.
//
// Links are exp(i P / 10) with P = sum of h_a lambda_a / sqrt 2, the source is normal noise, both of one stream of random
// numbers: x -> 5^11 x mod 2^31, from 12345, drawn parity by parity, axis by axis, along t last. Its gammas are ours.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>

#include <array>
#include <complex>
#include <vector>

namespace tasuki::wilson::ccs {

using Number = std::complex<double>;
using Matrix3 = std::array<std::array<Number, 3>, 3>;
using Site = std::array<long, kAxes>; // x, y, z, t

// call(site) for this rank's sites, in the order of files: x first.
template <class Call>
void for_each_owned(const Lattice& lattice, const Call& call) {
  const Box owned = lattice.owned();
  Site n{};
  for (n[3] = owned.lo[3]; n[3] < owned.hi[3]; ++n[3])
    for (n[2] = owned.lo[2]; n[2] < owned.hi[2]; ++n[2])
      for (n[1] = owned.lo[1]; n[1] < owned.hi[1]; ++n[1])
        for (n[0] = owned.lo[0]; n[0] < owned.hi[0]; ++n[0]) call(n);
}

Matrix3 product(const Matrix3& a, const Matrix3& b);
Matrix3 adjoint(const Matrix3& a);

class Stream; // of random numbers

// The whole lattice, on every rank.
class PublishedField {
public:
  explicit PublishedField(const Site& extents);

  const Site& extents() const { return extents_; }
  // Sites are taken around the lattice.
  const Matrix3& link(const Site& n, int mu) const { return links_[index(n) * kAxes + mu]; }
  const std::array<Number, 12>& source(const Site& n) const { return source_[index(n)]; } // spin * 3 + colour

  // What a rank owns, as Gauge and SpinorField take it. The source is on even sites alone.
  std::vector<double> owned_links(const Lattice& lattice) const;
  std::vector<double> owned_source(const Lattice& lattice) const;

  // The benchmark's check sums: all numbers of all links, and of the source on both parities.
  Number sum_of_links() const;
  Number sum_of_source() const;

private:
  std::size_t index(const Site& n) const;
  void draw_links(int parity, Stream& stream);
  void draw_source(int parity, Stream& stream);

  Site extents_;
  std::vector<Matrix3> links_;
  std::vector<std::array<Number, 12>> source_;
};

} // namespace tasuki::wilson::ccs

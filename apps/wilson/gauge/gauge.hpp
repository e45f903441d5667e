// A gauge field: an SU(3) matrix on every link of the lattice, and initial fields.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/lattice/su3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace tasuki::wilson {

using MatrixField =
    Field<double[kMatrixReals]>; // a matrix per cell: for sites of one parity, and for links of one direction

// link(p, mu) has U_mu(n) of the sites n of parity p; U_mu(n) is the link from n to n + mu. There are eight fields, so
// that a sweep may change one field and read its neighbours in the others. Initially 1 everywhere.
//
// A handle: a copy refers to the same links. All members are collective.
class Gauge {
public:
  explicit Gauge(const Lattice& lattice);

  const Lattice& lattice() const { return lattice_; }
  World& world() const { return lattice_.world(); }
  const MatrixField& link(int parity, int mu) const {
    return links_[static_cast<std::size_t>(parity * kAxes + mu)];
  }

  // This rank's links, [t][z][y][x][mu][row][column][re, im] over Lattice::owned(), the order of ILDG files. The
  // second function throws Error if the number of links differs.
  std::vector<double> to_sites() const;
  void from_sites(const std::vector<double>& links);

private:
  Lattice lattice_;
  std::vector<MatrixField> links_;
};

// A matrix on every site, for instance a gauge transformation.
struct SiteMatrices {
  std::array<MatrixField, 2> parity;
  explicit SiteMatrices(const Lattice& lattice);
};

// Sets every link to 1. The plaquette is 1.
void set_unit(Gauge& gauge);
// Sets every link independently, uniformly over the group (Haar measure). The mean plaquette is 0.
void set_random(Gauge& gauge, std::uint64_t seed);
// exp(i width sum of h_a lambda_a / 2) with normal h_a and Gell-Mann matrices lambda_a. For small widths the plaquette
// is 1 - 8/3 width^2. Throws Error unless 0 <= width <= 10.
void set_weak(Gauge& gauge, double width, std::uint64_t seed);

// Uniformly over the group.
void set_random(SiteMatrices& matrices, const Lattice& lattice, std::uint64_t seed);

// U_mu(n) -> G(n) U_mu(n) G(n + mu)^dagger.
void transform(Gauge& gauge, const SiteMatrices& by);

} // namespace tasuki::wilson

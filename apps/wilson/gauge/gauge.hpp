// A gauge field: a matrix of SU(3) on every link of the lattice, and fields to start from.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/lattice/su3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace tasuki::wilson {

using MatrixField =
    Field<double[kMatrixReals]>; // a matrix a cell: of one parity, and of one direction if of links

// link(p, mu) holds U_mu(n) of the sites n of parity p, which leads from n to n + mu. A field for each of the eight,
// so that a sweep may read those around a link off its cell and change that one. 1 everywhere at first.
//
// A handle, as fields are: copies name the same links. Collective, all of it.
class Gauge {
public:
  explicit Gauge(const Lattice& lattice);

  const Lattice& lattice() const { return lattice_; }
  World& world() const { return lattice_.world(); }
  const MatrixField& link(int parity, int mu) const {
    return links_[static_cast<std::size_t>(parity * kAxes + mu)];
  }

  // This rank's links, [t][z][y][x][mu][row][column][re, im] over Lattice::owned(): the order of ILDG's files. The
  // second throws Error where their number is another.
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

// Every link 1. Plaquette 1.
void set_unit(Gauge& gauge);
// Every link by itself, and evenly over the group (Haar's measure). Plaquette 0.
void set_random(Gauge& gauge, std::uint64_t seed);
// exp(i width sum of h_a lambda_a / 2) with normal h_a, lambda_a Gell-Mann's matrices. For small widths the plaquette
// is 1 - 8/3 width^2. Throws Error unless 0 <= width <= 10.
void set_weak(Gauge& gauge, double width, std::uint64_t seed);

// Evenly over the group.
void set_random(SiteMatrices& matrices, const Lattice& lattice, std::uint64_t seed);

// U_mu(n) -> G(n) U_mu(n) G(n + mu)^dagger.
void transform(Gauge& gauge, const SiteMatrices& by);

} // namespace tasuki::wilson

// The clover term of Sheikholeslami and Wohlert, which the benchmark of published_field.hpp has beside the hops.
#pragma once

#include <tests/apps/wilson/published_field.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki::wilson::ccs {

// F = 1 - csw kappa sum over mu < nu of sigma_mu,nu F_mu,nu of every site that a rank owns, with sigma = i/2 [gamma, gamma]
// and F the four plaquettes around n in that plane, less their adjoints, over 8 i: 12 x 12, and its inverse.
class Clover {
public:
  // factor: csw kappa. The field is not kept. Collective.
  Clover(const Lattice& lattice, const PublishedField& field, double factor) {
    for_each_owned(lattice, [&](const Site& n) {
      blocks_.push_back(block(field, n, factor));
      log_determinant_ += invert(blocks_.back());
    });
    MPI_Allreduce(MPI_IN_PLACE, &log_determinant_, 1, MPI_DOUBLE, MPI_SUM, lattice.world().comm());
  }

  double log_determinant() const { return log_determinant_; } // of all F
  void divide(std::vector<Number>& spinors) const {           // F^-1 times them
    std::array<Number, 12> from;
    for (std::size_t n = 0; n < blocks_.size(); ++n) {
      std::copy_n(&spinors[12 * n], 12, from.begin());
      for (std::size_t i = 0; i < 12; ++i) {
        spinors[12 * n + i] = 0;
        for (std::size_t j = 0; j < 12; ++j) spinors[12 * n + i] += blocks_[n][i][j] * from[j];
      }
    }
  }

private:
  using Block = std::array<std::array<Number, 12>, 12>;
  using Spin = std::array<std::array<Number, 4>, 4>;

  static Spin gamma(int mu) {
    const Number i(0, 1);
    if (mu == 0) return {{{0, 0, 0, -i}, {0, 0, -i, 0}, {0, i, 0, 0}, {i, 0, 0, 0}}};
    if (mu == 1) return {{{0, 0, 0, -1.}, {0, 0, 1., 0}, {0, 1., 0, 0}, {-1., 0, 0, 0}}};
    if (mu == 2) return {{{0, 0, -i, 0}, {0, 0, 0, i}, {i, 0, 0, 0}, {0, -i, 0, 0}}};
    return {{{1., 0, 0, 0}, {0, 1., 0, 0}, {0, 0, -1., 0}, {0, 0, 0, -1.}}};
  }

  static Matrix3 leaves(const PublishedField& field, const Site& n, int mu, int nu) {
    const auto by = [](Site at, int axis, long step) {
      at[static_cast<std::size_t>(axis)] += step;
      return at;
    };
    // The link from `at`, forwards or backwards.
    const auto step = [&](const Site& at, int axis, long sign) {
      return sign > 0 ? field.link(at, axis) : adjoint(field.link(by(at, axis, -1), axis));
    };
    Matrix3 sum{};
    // Four times around, from n: mu nu, nu -mu, -mu -nu, -nu mu.
    const std::array<std::array<long, 2>, 4> turns{
        {{mu + 1L, nu + 1L}, {nu + 1L, -mu - 1L}, {-mu - 1L, -nu - 1L}, {-nu - 1L, mu + 1L}}};
    for (const auto& [first, second] : turns) {
      Matrix3 path{};
      for (std::size_t i = 0; i < 3; ++i) path[i][i] = 1;
      Site at = n;
      for (const long leg : {first, second, -first, -second}) {
        const int axis = static_cast<int>(std::abs(leg)) - 1;
        path = product(path, step(at, axis, leg));
        at = by(at, axis, leg > 0 ? 1 : -1);
      }
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) sum[i][j] += path[i][j];
    }
    return sum;
  }

  static Block block(const PublishedField& field, const Site& n, double factor) {
    Block f{};
    for (std::size_t i = 0; i < 12; ++i) f[i][i] = 1;
    for (int mu = 0; mu < kAxes; ++mu)
      for (int nu = mu + 1; nu < kAxes; ++nu) {
        const Matrix3 q = leaves(field, n, mu, nu), back = adjoint(q);
        const Spin a = gamma(mu), b = gamma(nu);
        for (std::size_t s = 0; s < 4; ++s)
          for (std::size_t t = 0; t < 4; ++t) {
            Number sigma = 0; // i/2 [gamma_mu, gamma_nu] = i gamma_mu gamma_nu
            for (std::size_t k = 0; k < 4; ++k) sigma += Number(0, 1) * a[s][k] * b[k][t];
            for (std::size_t i = 0; i < 3; ++i)
              for (std::size_t j = 0; j < 3; ++j)
                f[3 * s + i][3 * t + j] -= factor * sigma * (q[i][j] - back[i][j]) / Number(0, 8);
          }
      }
    return f;
  }

  // Gauss and Jordan, without pivots: F is near 1. The logarithm of its determinant, which is real.
  static double invert(Block& m) {
    double log = 0;
    for (std::size_t k = 0; k < 12; ++k) {
      const Number pivot = m[k][k];
      log += std::log(std::abs(pivot));
      m[k][k] = 1;
      for (Number& entry : m[k]) entry /= pivot;
      for (std::size_t i = 0; i < 12; ++i) {
        if (i == k) continue;
        const Number by = m[i][k];
        m[i][k] = 0;
        for (std::size_t j = 0; j < 12; ++j) m[i][j] -= by * m[k][j];
      }
    }
    return log;
  }

  std::vector<Block> blocks_;
  double log_determinant_ = 0;
};

} // namespace tasuki::wilson::ccs

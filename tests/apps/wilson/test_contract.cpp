// Contractions against sums over every index with whole gamma matrices, which are built here from Pauli's.
#include <apps/wilson/quark/contract.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

namespace tasuki::wilson {
namespace {

using Number = std::complex<double>;
using Gamma = std::array<std::array<Number, 4>, 4>;
constexpr Number I{0, 1};

Gamma product(const Gamma& a, const Gamma& b) {
  Gamma m{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) m[i][j] += a[i][k] * b[k][j];
  return m;
}
Gamma adjoint_of(const Gamma& a) {
  Gamma m{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) m[i][j] = std::conj(a[j][i]);
  return m;
}

// gamma_t = diag(1, 1, -1, -1), gamma_k = [[0, -i sigma_k], [i sigma_k, 0]].
std::array<Gamma, 4> gammas() {
  const Number sigma[3][2][2] = {{{0, 1}, {1, 0}}, {{0, -I}, {I, 0}}, {{1, 0}, {0, -1}}};
  std::array<Gamma, 4> g{};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        g[k][i][2 + j] = -I * sigma[k][i][j];
        g[k][2 + i][j] = I * sigma[k][i][j];
      }
  for (std::size_t i = 0; i < 4; ++i) g[3][i][i] = i < 2 ? 1 : -1;
  return g;
}
Gamma gamma_5() {
  const auto g = gammas();
  return product(product(g[0], g[1]), product(g[2], g[3]));
}

SitePropagator any_propagator(test::Random& random) {
  SitePropagator p;
  std::normal_distribution<double> normal;
  for (auto& a : p.s)
    for (auto& b : a)
      for (auto& c : b)
        for (auto& z : c) z = {normal(random), normal(random)};
  return p;
}
Number at(const SitePropagator& p, std::size_t s, std::size_t i, std::size_t r, std::size_t j) {
  return {p.s[s][i][r][j].re, p.s[s][i][r][j].im};
}
Gamma spins(const SitePropagator& p, std::size_t i, std::size_t j) {
  Gamma m{};
  for (std::size_t s = 0; s < 4; ++s)
    for (std::size_t r = 0; r < 4; ++r) m[s][r] = at(p, s, i, r, j);
  return m;
}

// -tr[G S G-bar gamma_5 S^dagger gamma_5], G-bar = gamma_t G^dagger gamma_t: the meson with psi-bar G psi at both ends.
Number meson(const SitePropagator& p, const Gamma& g) {
  const Gamma g5 = gamma_5(), gt = gammas()[3], bar = product(gt, product(adjoint_of(g), gt));
  Number sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Gamma s = spins(p, i, j),
                  m = product(product(g, s), product(product(bar, g5), product(adjoint_of(s), g5)));
      for (std::size_t k = 0; k < 4; ++k) sum -= m[k][k];
    }
  return sum;
}

double eps(std::size_t a, std::size_t b, std::size_t c) {
  return static_cast<double>((static_cast<int>(a) - static_cast<int>(b)) *
                             (static_cast<int>(b) - static_cast<int>(c)) *
                             (static_cast<int>(c) - static_cast<int>(a))) /
         2;
}

// Every index of <N N-bar>, N-bar from N by the adjoint times gamma_t; G = C gamma_5.
Number nucleon(const SitePropagator& p, double sign) {
  const auto g = gammas();
  const Gamma G = product(product(g[1], g[3]), gamma_5());
  Gamma bar{}; // gamma_t G^* gamma_t^T
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) bar[i][j] = g[3][i][i] * std::conj(G[i][j]) * g[3][j][j];
  Number sum = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d)
          for (std::size_t e = 0; e < 3; ++e)
            for (std::size_t f = 0; f < 3; ++f) {
              const double colours = eps(a, b, c) * eps(d, e, f);
              if (colours == 0) continue;
              for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < 4; ++j)
                  for (std::size_t k = 0; k < 4; ++k)
                    for (std::size_t l = 0; l < 4; ++l) {
                      if (G[i][j] == 0.0 || bar[k][l] == 0.0) continue;
                      for (std::size_t q = 0; q < 4; ++q) {
                        const Number projector = (1.0 + sign * g[3][q][q]) / 2.0;
                        sum +=
                            colours * G[i][j] * bar[k][l] * projector * at(p, j, b, l, e) *
                            (at(p, i, a, k, d) * at(p, q, c, q, f) - at(p, i, a, q, f) * at(p, q, c, k, d));
                      }
                    }
            }
  return sum;
}

TEST(Contract, GammasAreDiracs) {
  const auto g = gammas();
  for (std::size_t m = 0; m < 4; ++m)
    for (std::size_t n = 0; n < 4; ++n) {
      const Gamma a = product(g[m], g[n]), b = product(g[n], g[m]);
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
          EXPECT_EQ(a[i][j] + b[i][j], Number(m == n && i == j ? 2 : 0)) << m << n;
    }
}

TEST(Contract, IsTheSumOverEveryIndex) {
  test::Random random = test::random(1);
  const auto g = gammas();
  for (int trial = 0; trial < 5; ++trial) {
    const SitePropagator p = any_propagator(random);
    const SiteTerms terms = site_terms(p);
    const Number pion = meson(p, gamma_5());
    EXPECT_NEAR(terms.pion, pion.real(), 1e-11 * std::abs(pion));
    const Number rho = (meson(p, g[0]) + meson(p, g[1]) + meson(p, g[2])) / 3.0;
    EXPECT_NEAR(terms.rho, rho.real(), 1e-11 * terms.pion);
    EXPECT_NEAR(0, rho.imag(), 1e-11 * terms.pion);
    const Number forwards = nucleon(p, 1), backwards = nucleon(p, -1);
    EXPECT_NEAR(terms.nucleon.re, forwards.real(), 1e-11 * std::abs(forwards));
    EXPECT_NEAR(terms.nucleon.im, forwards.imag(), 1e-11 * std::abs(forwards));
    EXPECT_NEAR(terms.nucleon_backward.re, backwards.real(), 1e-11 * std::abs(backwards));
    EXPECT_NEAR(terms.nucleon_backward.im, backwards.imag(), 1e-11 * std::abs(backwards));
  }
}

// A change of gauge, G(x) S G(0)^dagger, changes colours and nothing that is seen.
TEST(Contract, KnowsNoGauge) {
  test::Random random = test::random(2);
  const SitePropagator p = any_propagator(random);
  const auto turn = [&](double angle) { // of SU(3): about an axis, with phases
    Matrix<double> m{};
    m.e[0][0] = {std::cos(angle), 0};
    m.e[0][1] = {0, std::sin(angle)};
    m.e[1][0] = {0, std::sin(angle)};
    m.e[1][1] = {std::cos(angle), 0};
    m.e[2][2] = {1, 0};
    Matrix<double> d{};
    d.e[0][0] = {std::cos(1.0), std::sin(1.0)};
    d.e[1][2] = {1, 0};
    d.e[2][1] = {-std::cos(1.0), std::sin(1.0)};
    return m * d * m;
  };
  const Matrix<double> here = turn(0.7), there = adjoint(turn(2.1));
  SitePropagator q{};
  for (int s = 0; s < 4; ++s)
    for (int r = 0; r < 4; ++r)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
              q.s[s][i][r][j] = q.s[s][i][r][j] + here.e[i][k] * p.s[s][k][r][l] * there.e[l][j];
  const SiteTerms a = site_terms(p), b = site_terms(q);
  EXPECT_NEAR(a.pion, b.pion, 1e-11 * a.pion);
  EXPECT_NEAR(a.rho, b.rho, 1e-11 * a.pion);
  EXPECT_NEAR(a.nucleon.re, b.nucleon.re, 1e-11 * std::pow(a.pion, 1.5));
  EXPECT_NEAR(a.nucleon_backward.im, b.nucleon_backward.im, 1e-11 * std::pow(a.pion, 1.5));
}

// The sums of time slices, from the source on, and the phase of what lies before it.
TEST(Contract, SumsSlicesFromTheSourceOn) {
  const Lattice lattice(test::world(), {4, 4, 2, 6});
  const Box box = lattice.owned();
  const std::array<long, kAxes>& n = lattice.extents();
  const std::array<long, kAxes> source = {1, 0, 1, 4};
  const std::array<double, kAxes> thetas = {0.2, 0, 0, 1};
  std::vector<std::vector<double>> columns(12);
  std::vector<SiteTerms> want(6);
  for (long t = 0; t < n[3]; ++t)
    for (long z = 0; z < n[2]; ++z)
      for (long y = 0; y < n[1]; ++y)
        for (long x = 0; x < n[0]; ++x) { // every rank draws every site
          test::Random random =
              test::random(static_cast<std::uint64_t>(10 + ((t * n[2] + z) * n[1] + y) * n[0] + x));
          const SitePropagator p = any_propagator(random);
          const SiteTerms terms = site_terms(p);
          SiteTerms& sum = want[static_cast<std::size_t>((t + n[3] - source[3]) % n[3])];
          const double angle = 3 * std::numbers::pi * ((x < 1 ? 0.2 : 0) + (t < 4 ? 1 : 0));
          const Complex<double> phase{std::cos(angle), std::sin(angle)};
          sum.pion += terms.pion;
          sum.rho += terms.rho;
          sum.nucleon = sum.nucleon + phase * terms.nucleon;
          sum.nucleon_backward = sum.nucleon_backward + phase * terms.nucleon_backward;
          const long site[] = {x, y, z, t};
          bool mine = true;
          for (int a = 0; a < kAxes; ++a) mine = mine && site[a] >= box.lo[a] && site[a] < box.hi[a];
          if (!mine) continue;
          for (int r = 0; r < 4; ++r)
            for (int j = 0; j < 3; ++j)
              for (int s = 0; s < 4; ++s)
                for (int i = 0; i < 3; ++i) {
                  columns[static_cast<std::size_t>(3 * r + j)].push_back(p.s[s][i][r][j].re);
                  columns[static_cast<std::size_t>(3 * r + j)].push_back(p.s[s][i][r][j].im);
                }
        }
  const Correlators got = contract(lattice, columns, source, thetas);
  for (std::size_t t = 0; t < 6; ++t) {
    EXPECT_NEAR(got.pion[t], want[t].pion, 1e-12 * want[t].pion);
    EXPECT_NEAR(got.rho[t], want[t].rho, 1e-12 * want[t].pion);
    const double scale = 1e-12 * std::pow(want[t].pion, 1.5);
    EXPECT_NEAR(got.nucleon[t].real(), want[t].nucleon.re, scale);
    EXPECT_NEAR(got.nucleon[t].imag(), want[t].nucleon.im, scale);
    EXPECT_NEAR(got.nucleon_backward[t].real(), want[t].nucleon_backward.re, scale);
    EXPECT_NEAR(got.nucleon_backward[t].imag(), want[t].nucleon_backward.im, scale);
  }
}

} // namespace
} // namespace tasuki::wilson

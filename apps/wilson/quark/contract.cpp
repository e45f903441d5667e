#include <apps/wilson/quark/contract.hpp>

#include <apps/wilson/lattice/total.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tasuki::wilson {
namespace {

using C = Complex<double>;

// A = gamma_5 gamma_k = diag(-i sigma_k, i sigma_k) has one non-zero per row: A[s][column] = value.
struct OneARow {
  int column[kSpins];
  C value[kSpins];
};
constexpr OneARow kGamma5GammaK[3] = {
    {{1, 0, 3, 2}, {{0, -1}, {0, -1}, {0, 1}, {0, 1}}}, // x
    {{1, 0, 3, 2}, {{-1, 0}, {1, 0}, {1, 0}, {-1, 0}}}, // y
    {{0, 1, 2, 3}, {{0, -1}, {0, 1}, {0, 1}, {0, -1}}}, // z
};

double pion_of(const SitePropagator& p) {
  double sum = 0;
  for (const auto& spin : p.s)
    for (const auto& colour : spin)
      for (const auto& source_spin : colour)
        for (const C& z : source_spin) sum += norm2(z);
  return sum;
}

double rho_of(const SitePropagator& p) {
  double sum = 0;
  for (const OneARow& a : kGamma5GammaK)
    for (int s = 0; s < kSpins; ++s)
      for (int r = 0; r < kSpins; ++r) {
        C traced{}; // over colours, of S[column s][column r] conj(S[s][r])
        for (int i = 0; i < kColours; ++i)
          for (int j = 0; j < kColours; ++j)
            traced = conj_multiply_add(p.s[s][i][r][j], p.s[a.column[s]][i][a.column[r]][j], traced);
        sum += (a.value[s] * conj(a.value[r]) * traced).re; // the imaginary parts cancel: A^dagger = -A
      }
  return sum / 3;
}

// C gamma_5 = -i sigma_y in the upper and in the lower two spins: the other spin of the pair, and the sign.
int partner(int spin) { return spin ^ 1; }
double sign_of(int spin) { return spin % 2 == 0 ? -1 : 1; }

// D' = C gamma_5 D (C gamma_5)^T, so that the sum contains no further gamma matrices.
SitePropagator turned(const SitePropagator& p) {
  SitePropagator d;
  for (int s = 0; s < kSpins; ++s)
    for (int i = 0; i < kColours; ++i)
      for (int r = 0; r < kSpins; ++r)
        for (int j = 0; j < kColours; ++j)
          d.s[s][i][r][j] = sign_of(s) * sign_of(r) * p.s[partner(s)][i][partner(r)][j];
  return d;
}

// The two orders of the colours other than c, (c+1, c+2) and (c+2, c+1), with the sign of eps.
template <class Call>
void for_each_order(int c, const Call& call) {
  const int a = (c + 1) % kColours, b = (c + 2) % kColours;
  call(a, b, 1.0);
  call(b, a, -1.0);
}

// eps_abc eps_a'b'c' D'^{bb'}_{ss'} (U^{aa'}_{ss'} U^{cc'}_{qq} - U^{ac'}_{sq} U^{ca'}_{qs'}), for each q.
std::array<C, kSpins> nucleon_of(const SitePropagator& u) {
  const SitePropagator d = turned(u);
  std::array<C, kSpins> sum{};
  for (int c = 0; c < kColours; ++c)
    for (int e = 0; e < kColours; ++e) { // c'
      C pairs{};
      for_each_order(c, [&](int a, int b, double eps) {
        for_each_order(e, [&](int f, int g, double other_eps) { // a', b'
          C traced{};
          for (int s = 0; s < kSpins; ++s)
            for (int r = 0; r < kSpins; ++r) traced = multiply_add(u.s[s][a][r][f], d.s[s][b][r][g], traced);
          pairs = pairs + (eps * other_eps) * traced;
        });
      });
      for (int q = 0; q < kSpins; ++q)
        sum[static_cast<std::size_t>(q)] =
            multiply_add(pairs, u.s[q][c][q][e], sum[static_cast<std::size_t>(q)]);
    }
  for (int q = 0; q < kSpins; ++q)
    for (int c = 0; c < kColours; ++c)
      for (int f = 0; f < kColours; ++f) // a'
        for (int r = 0; r < kSpins; ++r) {
          C crossed{};
          for_each_order(c, [&](int a, int b, double eps) {
            for_each_order(f, [&](int g, int e, double other_eps) { // b', c'
              C traced{};
              for (int s = 0; s < kSpins; ++s)
                traced = multiply_add(d.s[s][b][r][g], u.s[s][a][q][e], traced);
              crossed = crossed + (eps * other_eps) * traced;
            });
          });
          sum[static_cast<std::size_t>(q)] =
              multiply_add(-crossed, u.s[q][c][r][f], sum[static_cast<std::size_t>(q)]);
        }
  return sum;
}

constexpr long kSums = 6; // per time slice: pion, rho, real and imaginary part of both nucleons

SitePropagator load_site(const std::vector<std::vector<double>>& columns, std::size_t site) {
  SitePropagator p;
  for (int r = 0; r < kSpins; ++r)
    for (int j = 0; j < kColours; ++j) {
      const double* from = &columns[static_cast<std::size_t>(r * kColours + j)][site * kSpinorReals];
      for (int s = 0; s < kSpins; ++s)
        for (int i = 0; i < kColours; ++i, from += 2) p.s[s][i][r][j] = {from[0], from[1]};
    }
  return p;
}

// The phase of three quarks between the source and a site, across the boundary.
C phase_of(const long* at, const std::array<long, kAxes>& source, const std::array<double, kAxes>& thetas) {
  double theta = 0;
  for (std::size_t a = 0; a < kAxes; ++a)
    if (at[a] < source[a]) theta += thetas[a];
  const double angle = 3 * std::numbers::pi * theta;
  return theta == 0 ? C{1, 0} : C{std::cos(angle), std::sin(angle)};
}

} // namespace

SiteTerms site_terms(const SitePropagator& p) {
  const std::array<C, kSpins> nucleon = nucleon_of(p);
  return {pion_of(p), rho_of(p), nucleon[0] + nucleon[1], nucleon[2] + nucleon[3]};
}

Correlators contract(const Lattice& lattice, const std::vector<std::vector<double>>& columns,
                     const std::array<long, kAxes>& source, const std::array<double, kAxes>& thetas) {
  if (columns.size() != kSpins * kColours)
    throw Error("a propagator of " + std::to_string(columns.size()) + " columns", "give all twelve");
  const Box sites = lattice.owned();
  const long nx = sites.extent(0), rows = sites.extent(1) * sites.extent(2); // per slice
  Totals totals(static_cast<int>(lattice.extents()[3] * kSums));
  std::vector<double> values(static_cast<std::size_t>(nx * rows * kSums));
  for (long t = sites.lo[3]; t < sites.hi[3]; ++t) {
#pragma omp parallel for
    for (long row = 0; row < rows; ++row)
      for (long x = 0; x < nx; ++x) {
        const long at[] = {sites.lo[0] + x, sites.lo[1] + row % sites.extent(1),
                           sites.lo[2] + row / sites.extent(1), t};
        const long number = row * nx + x;
        const SiteTerms terms =
            site_terms(load_site(columns, static_cast<std::size_t>((t - sites.lo[3]) * rows * nx + number)));
        const C phase = phase_of(at, source, thetas), forwards = phase * terms.nucleon,
                backwards = phase * terms.nucleon_backward;
        const double all[kSums] = {terms.pion,  terms.rho,    forwards.re,
                                   forwards.im, backwards.re, backwards.im};
        std::copy_n(all, kSums, &values[static_cast<std::size_t>(number * kSums)]);
      }
    for (std::size_t k = 0; k < values.size(); ++k)
      totals.add(static_cast<int>(t * kSums + static_cast<long>(k % kSums)), values[k]);
  }
  const std::vector<double> total = totals.over_ranks(lattice.world());
  Correlators result;
  const long length = lattice.extents()[3];
  for (long t = 0; t < length; ++t) {
    const double* of = &total[static_cast<std::size_t>((t + source[3]) % length * kSums)];
    result.pion.push_back(of[0]);
    result.rho.push_back(of[1]);
    result.nucleon.emplace_back(of[2], of[3]);
    result.nucleon_backward.emplace_back(of[4], of[5]);
  }
  return result;
}

} // namespace tasuki::wilson

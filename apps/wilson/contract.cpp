#include <apps/wilson/contract.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/device/exact_sum.hpp>

#include <cmath>
#include <cstring>
#include <numbers>

namespace tasuki::wilson {
namespace {

using C = Complex<double>;

// A = gamma_5 gamma_k = diag(-i sigma_k, i sigma_k) has one number a row: A[s][column] = value.
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

// C gamma_5 = -i sigma_y in the upper and in the lower two spins: a spin's partner, and the sign.
int partner(int spin) { return spin ^ 1; }
double sign_of(int spin) { return spin % 2 == 0 ? -1 : 1; }

// D' = C gamma_5 D (C gamma_5)^T, so that no other gamma is left in the sum.
SitePropagator turned(const SitePropagator& p) {
  SitePropagator d;
  for (int s = 0; s < kSpins; ++s)
    for (int i = 0; i < kColours; ++i)
      for (int r = 0; r < kSpins; ++r)
        for (int j = 0; j < kColours; ++j)
          d.s[s][i][r][j] = sign_of(s) * sign_of(r) * p.s[partner(s)][i][partner(r)][j];
  return d;
}

// The two orders of the colours beside c, (c+1, c+2) and (c+2, c+1), with the sign of eps.
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

constexpr std::size_t kSums = 6; // a time slice: pion, rho, real and imaginary part of both nucleons

void add(ExactSum& sum, double x) {
  exact_split(x, [&](int at, long long amount) { sum.digit[at] += amount; });
}

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

// The sums of this rank's sites, kSums a slice, by t of the lattice.
std::vector<ExactSum> sums_of(const Lattice& lattice, const std::vector<std::vector<double>>& columns,
                              const std::array<long, kAxes>& source,
                              const std::array<double, kAxes>& thetas) {
  const Box sites = lattice.owned();
  const long rows = lattice.owned_sites() / sites.extent(0);
  std::vector<ExactSum> sums(static_cast<std::size_t>(lattice.extents()[3]) * kSums);
#pragma omp parallel
  {
    std::vector<ExactSum> mine(sums.size());
#pragma omp for
    for (long row = 0; row < rows; ++row) {
      const long y = sites.lo[1] + row % sites.extent(1),
                 z = sites.lo[2] + row / sites.extent(1) % sites.extent(2),
                 t = sites.lo[3] + row / sites.extent(1) / sites.extent(2);
      for (long x = sites.lo[0]; x < sites.hi[0]; ++x) {
        const long at[] = {x, y, z, t};
        double theta = 0;
        for (std::size_t a = 0; a < kAxes; ++a)
          if (at[a] < source[a]) theta += thetas[a];
        const double angle = 3 * std::numbers::pi * theta;
        const C phase = theta == 0 ? C{1, 0} : C{std::cos(angle), std::sin(angle)};
        const auto site = static_cast<std::size_t>(row * sites.extent(0) + x - sites.lo[0]);
        const SiteTerms terms = site_terms(load_site(columns, site));
        const C forwards = phase * terms.nucleon, backwards = phase * terms.nucleon_backward;
        const double values[kSums] = {terms.pion,  terms.rho,    forwards.re,
                                      forwards.im, backwards.re, backwards.im};
        for (std::size_t k = 0; k < kSums; ++k) add(mine[static_cast<std::size_t>(t) * kSums + k], values[k]);
      }
    }
#pragma omp critical
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (int i = 0; i < ExactSum::kSize; ++i) sums[k].digit[i] += mine[k].digit[i];
  }
  return sums;
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
  std::vector<ExactSum> sums = sums_of(lattice, columns, source, thetas);
  std::vector<char> bytes(sums.size() * sizeof(ExactSum));
  std::memcpy(bytes.data(), sums.data(), bytes.size());
  const std::vector<std::vector<char>> pieces = gather_on_root(lattice.world(), bytes);
  if (lattice.world().rank() != 0) return {};
  std::vector<ExactSum> total(sums.size());
  for (const std::vector<char>& piece : pieces) {
    std::memcpy(sums.data(), piece.data(), bytes.size());
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (int i = 0; i < ExactSum::kSize; ++i) total[k].digit[i] += sums[k].digit[i];
  }
  Correlators result;
  const long length = lattice.extents()[3];
  for (long t = 0; t < length; ++t) {
    const ExactSum* of = &total[static_cast<std::size_t>((t + source[3]) % length) * kSums];
    result.pion.push_back(exact_value(of[0]));
    result.rho.push_back(exact_value(of[1]));
    result.nucleon.emplace_back(exact_value(of[2]), exact_value(of[3]));
    result.nucleon_backward.emplace_back(exact_value(of[4]), exact_value(of[5]));
  }
  return result;
}

} // namespace tasuki::wilson

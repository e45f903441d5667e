// The operator: against matrices written out, bit for bit against the whole lattice done serially, and by what is known
// of it: plane waves, gamma_5, gauge transformations.
#include <apps/wilson/operator/dirac.hpp>
#include <apps/wilson/operator/half_spinor.hpp>
#include <apps/wilson/operator/hopping.hpp>
#include <apps/wilson/solver/solver.hpp>
#include <tests/apps/predicted.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <complex>

namespace tasuki::wilson {
namespace {

using test::Random;
using Number = std::complex<double>;
using Extents = std::array<long, kAxes>;

std::vector<double> random_numbers(std::size_t count, Random& random) { // the same on every rank
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  for (double& x : numbers) x = normal(random);
  return numbers;
}

// A part of the whole lattice's numbers, `each` a site, in site order.
std::vector<double> part_of(const std::vector<double>& whole, const Extents& extents, const Box& sites,
                            std::size_t each) {
  std::vector<double> part;
  for (long t = sites.lo[3]; t < sites.hi[3]; ++t)
    for (long z = sites.lo[2]; z < sites.hi[2]; ++z)
      for (long y = sites.lo[1]; y < sites.hi[1]; ++y)
        for (long x = sites.lo[0]; x < sites.hi[0]; ++x) {
          const auto site =
              static_cast<std::size_t>(((t * extents[2] + z) * extents[1] + y) * extents[0] + x);
          part.insert(part.end(), whole.begin() + static_cast<long>(site * each),
                      whole.begin() + static_cast<long>((site + 1) * each));
        }
  return part;
}

// The operator on the whole lattice by its definition, gammas as matrices of 4 x 4.
class Definition {
public:
  Definition(const Extents& extents, std::vector<double> links, const Action& action)
      : extents_(extents), links_(std::move(links)), action_(action) {}

  std::vector<Number> apply(const std::vector<Number>& psi) const {
    std::vector<Number> out(psi.size());
    Extents n{};
    for (n[3] = 0; n[3] < extents_[3]; ++n[3])
      for (n[2] = 0; n[2] < extents_[2]; ++n[2])
        for (n[1] = 0; n[1] < extents_[1]; ++n[1])
          for (n[0] = 0; n[0] < extents_[0]; ++n[0]) at_site(n, psi, out);
    const double scale = action_.norm == Norm::mass ? 1 / (2 * action_.kappa) : 1;
    for (Number& z : out) z *= scale;
    return out;
  }

private:
  static Number gamma(int mu, int a, int b) {
    const Number i(0, 1);
    const Number sigma[3][2][2] = {{{0, 1}, {1, 0}}, {{0, -i}, {i, 0}}, {{1, 0}, {0, -1}}};
    if (mu == 3) return a == b ? (a < 2 ? 1 : -1) : 0;
    if (a < 2 && b >= 2) return -i * sigma[mu][a][b - 2];
    if (a >= 2 && b < 2) return i * sigma[mu][a - 2][b];
    return 0;
  }
  std::size_t site(const Extents& n) const {
    return static_cast<std::size_t>(((n[3] * extents_[2] + n[2]) * extents_[1] + n[1]) * extents_[0] + n[0]);
  }
  Number link(const Extents& n, int mu, int i, int j) const {
    const std::size_t k =
        ((site(n) * 4 + static_cast<std::size_t>(mu)) * 9 + static_cast<std::size_t>(i * 3 + j)) * 2;
    return {links_[k], links_[k + 1]};
  }
  void at_site(const Extents& n, const std::vector<Number>& psi, std::vector<Number>& out) const {
    Number* const to = &out[site(n) * 12];
    for (int k = 0; k < 12; ++k) to[k] = psi[site(n) * 12 + static_cast<std::size_t>(k)];
    for (int mu = 0; mu < 4; ++mu)
      for (const int sign : {1, -1}) {
        Extents m = n;
        m[mu] += sign;
        const bool leaves = m[mu] < 0 || m[mu] == extents_[mu];
        m[mu] = (m[mu] + extents_[mu]) % extents_[mu];
        Number factor = action_.kappa * (mu < 3 ? action_.space_weight() : 1);
        if (leaves)
          factor *= std::polar(1.0, sign * std::acos(-1.0) * action_.phase[static_cast<std::size_t>(mu)]);
        for (int a = 0; a < 4; ++a)
          for (int b = 0; b < 4; ++b) {
            const Number g = (a == b ? 1.0 : 0.0) - static_cast<double>(sign) * gamma(mu, a, b);
            if (g == 0.0) continue;
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j) {
                const Number u = sign > 0 ? link(n, mu, i, j) : std::conj(link(m, mu, j, i));
                to[a * 3 + i] -= factor * g * u * psi[site(m) * 12 + static_cast<std::size_t>(b * 3 + j)];
              }
          }
      }
  }

  Extents extents_;
  std::vector<double> links_;
  Action action_;
};

std::vector<Number> paired(const std::vector<double>& reals) {
  std::vector<Number> numbers;
  for (std::size_t k = 0; k < reals.size(); k += 2) numbers.emplace_back(reals[k], reals[k + 1]);
  return numbers;
}
std::vector<double> unpaired(const std::vector<Number>& numbers) {
  std::vector<double> reals;
  for (const Number& z : numbers) reals.insert(reals.end(), {z.real(), z.imag()});
  return reals;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

// All links of the lattice, the same on every rank: of a gauge field in a world of this rank's alone would be another
// way, but a field's links do not depend on how it is cut.
std::vector<double> whole_links(const Gauge& gauge) {
  const Lattice& lattice = gauge.lattice();
  std::vector<double> whole(static_cast<std::size_t>(lattice.sites()) * 72);
  const std::vector<double> mine = gauge.to_sites();
  const Box sites = lattice.owned();
  std::size_t from = 0;
  for (long t = sites.lo[3]; t < sites.hi[3]; ++t)
    for (long z = sites.lo[2]; z < sites.hi[2]; ++z)
      for (long y = sites.lo[1]; y < sites.hi[1]; ++y)
        for (long x = sites.lo[0]; x < sites.hi[0]; ++x, from += 72) {
          const Extents& n = lattice.extents();
          const auto site = static_cast<std::size_t>(((t * n[2] + z) * n[1] + y) * n[0] + x);
          std::copy(mine.begin() + static_cast<long>(from), mine.begin() + static_cast<long>(from + 72),
                    whole.begin() + static_cast<long>(site * 72));
        }
  MPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(whole.size()), MPI_DOUBLE, MPI_SUM,
                lattice.world().comm());
  return whole;
}

const Extents kExtents[] = {{4, 4, 4, 8}, {8, 6, 4, 10}, {2, 8, 6, 4}};

std::unique_ptr<World> plain_world() {
  return test::world_with([](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
  });
}

// What a GPU's window of cells is asked is what the cell itself is asked.
template <int D>
void expect_same_in_a_window(Random& random) {
  WindowCell<D> window{};
  for (int a = 0; a < D; ++a) {
    window.geometry.origin[a] = 2 * test::pick(random, 0, 9);
    window.geometry.extent[a] = 2 * test::pick(random, 10, 30);
    window.x[a] = static_cast<int>(test::pick(random, 0, 9));
  }
  const Cell<D>& cell = window;
  EXPECT_EQ(row_parity(window), row_parity(cell));
  for (int mu = 0; mu < kAxes; ++mu) {
    EXPECT_EQ(along(window, mu), along(cell, mu));
    EXPECT_EQ(extent_along(window, mu), extent_along(cell, mu));
  }
}
TEST(Site, IsTheSameInAWindow) {
  Random random = test::random(43);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (int time = 0; time < 20; ++time) {
    expect_same_in_a_window<kAxes>(random);
    expect_same_in_a_window<kBlockAxes>(random);
  }
}

TEST(Operator, IsWhatItsDefinitionSays) {
  const auto world = plain_world();
  Random random = test::random(41);
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  const Action actions[] = {{.kappa = 0.137},
                            {.kappa = 0.1, .phase = {0, 0, 0, 1}, .norm = Norm::mass},
                            {.kappa = 0.12, .phase = {0.2, 0.4, -0.7, 1.3}},
                            {.kappa = 0.11, .phase = {1, 0, 1, 1}, .anisotropy = 2.5, .nu = 1.1}};
  for (const Extents& extents : kExtents)
    for (const Action& action : actions) {
      const Lattice lattice(*world, extents);
      Gauge gauge(lattice);
      set_random(gauge, test::seed());
      const std::vector<double> psi = random_numbers(static_cast<std::size_t>(lattice.sites()) * 24, random);
      const std::vector<double> want =
          part_of(unpaired(Definition(extents, whole_links(gauge), action).apply(paired(psi))), extents,
                  lattice.owned(), 24);
      SpinorField in(lattice, "in"), out(lattice, "out");
      in.from_sites(lattice, part_of(psi, extents, lattice.owned(), 24));
      Solver solver(gauge, action, {});
      solver.apply(out, in);
      EXPECT_LT(farthest(out.to_sites(lattice), want), 2e-13 * (action.norm == Norm::mass ? 5 : 1));
    }
}

// The whole lattice's numbers of one parity, as a sweep sees them from a cell. For host and device by their names alone:
// what they are given to is.
struct WholeCell {
  long at[kAxes], cells[kAxes];
  TS_HD long operator[](int a) const { return at[a]; }
  TS_HD long extent(int a) const { return cells[a]; }
  TS_HD long place(int x = 0, int y = 0, int z = 0, int t = 0) const {
    const long by[] = {x, y, z, t};
    long place = 0;
    for (int a = kAxes - 1; a >= 0; --a) place = place * cells[a] + (at[a] + by[a] + cells[a]) % cells[a];
    return place;
  }
};
template <class E>
struct WholeView {
  E* p;
  long cells; // of the lattice
  struct Plane {
    E* p;
    template <class... By>
    TS_HD E& operator()(const WholeCell& c, By... by) const {
      return p[c.place(by...)];
    }
  };
  TS_HD Plane operator[](int k) const { return {p + k * cells}; }
};

template <class S, class T>
std::vector<typename Stored<S>::Element> whole_of(const Field<T>& field) {
  using E = typename Stored<S>::Element;
  std::vector<E> whole = field.gather();
  const GridCore& grid = *field.core()->grid_ptr();
  whole.resize(static_cast<std::size_t>(grid.all().cells()) * Field<T>::components);
  MPI_Bcast(whole.data(), static_cast<int>(whole.size() * sizeof(E)), MPI_BYTE, 0, grid.world().comm());
  return whole;
}

// (1 + H in) on every way that ranks are cut, channels chosen and programs run, against one loop over the lattice.
template <class S, int Numbers>
void compare_bits(World& world, const Extents& extents) {
  using E = typename Stored<S>::Element;
  const Lattice lattice(world, extents);
  Gauge gauge(lattice);
  set_random(gauge, test::seed() + 3);
  Action action;
  action.phase = {0, 1, 0, 1};
  const auto dirac = make_dirac<S>(gauge, action, Numbers);
  const Block block(lattice, 1);
  auto in = make_spinors<S>(block, "in"), x = make_spinors<S>(block, "x"),
       out = make_spinors<S>(block, "out");
  Random random = test::random(5);
  const auto fill = [&](Spinors<S>& field) {
    std::vector<E> mine(static_cast<std::size_t>(lattice.owned_sites() / 2) * Stored<S>::kPlanes);
    Random own = test::random(static_cast<std::uint64_t>(100 + lattice.world().rank()) + random());
    for (E& e : mine)
      e = static_cast<E>(std::is_same_v<S, Half>
                             ? test::pick(own, -16383, 16383)
                             : static_cast<double>(test::pick(own, -1000000, 1000000)) / 999983);
    if constexpr (std::is_same_v<S, Half>) // scales: numbers of the size of 1
      for (std::size_t k = mine.size() / 26 * 24; k < mine.size(); ++k)
        mine[k] = static_cast<E>(k < mine.size() / 26 * 25 ? 0x1234 : 0x3880);
    field.from_host(mine);
  };
  fill(in);
  fill(x);
  run(program(dirac->combine(0, out, x, in, -0.5)));
  const auto got = whole_of<S>(out);

  const Extents cells{extents[0] / 2, extents[1], extents[2], extents[3]};
  const auto in_whole = whole_of<S>(in), x_whole = whole_of<S>(x);
  std::array<std::vector<E>, 2> links;
  const std::vector<double> sites = whole_links(gauge);
  const long n = cells[0] * cells[1] * cells[2] * cells[3];
  for (int p = 0; p < 2; ++p) {
    links[static_cast<std::size_t>(p)].resize(static_cast<std::size_t>(n * 4 * Numbers));
    for (long t = 0; t < cells[3]; ++t)
      for (long z = 0; z < cells[2]; ++z)
        for (long y = 0; y < cells[1]; ++y)
          for (long h = 0; h < cells[0]; ++h) {
            const long cell = ((t * cells[2] + z) * cells[1] + y) * cells[0] + h;
            const long xs = 2 * h + x_bit(p, static_cast<int>((y + z + t) & 1));
            const auto site =
                static_cast<std::size_t>(((t * extents[2] + z) * extents[1] + y) * extents[0] + xs);
            for (int mu = 0; mu < 4; ++mu) {
              const double* const u = &sites[(site * 4 + static_cast<std::size_t>(mu)) * 18];
              Matrix<double> m = load_matrix<double>([&](int k) { return u[k]; });
              const bool last = (mu == 1 && y + 1 == cells[1]) || (mu == 3 && t + 1 == cells[3]);
              if (Numbers == 18)
                for (auto& row : m.e)
                  for (auto& e : row) e = Complex<double>{last ? -1.0 : 1.0, 0} * e;
              compress<Numbers>(m, [&](int k, double v) {
                if (std::is_same_v<S, Half>) v = std::rint(v * static_cast<double>(kLinkScale));
                links[static_cast<std::size_t>(p)][static_cast<std::size_t>((mu * Numbers + k) * n + cell)] =
                    static_cast<E>(v);
              });
            }
          }
  }
  Hopping<S, Numbers> hopping{0, {1, 1, 1, 1}, {0, -2, 0, -2}};
  std::vector<E> want(got.size());
  const WholeView<const E> from{in_whole.data(), n}, here{links[0].data(), n}, there{links[1].data(), n},
      with{x_whole.data(), n};
  const WholeView<E> to{want.data(), n};
  const Combine<S, Numbers> combine{hopping, Real<S>(-0.5), false};
  WholeCell c{{}, {cells[0], cells[1], cells[2], cells[3]}};
  for (c.at[3] = 0; c.at[3] < cells[3]; ++c.at[3])
    for (c.at[2] = 0; c.at[2] < cells[2]; ++c.at[2])
      for (c.at[1] = 0; c.at[1] < cells[1]; ++c.at[1])
        for (c.at[0] = 0; c.at[0] < cells[0]; ++c.at[0]) combine(c, to, with, from, here, there);
  long wrong = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (std::memcmp(&got[k], &want[k], sizeof(E)) == 0) continue;
    if (wrong++ == 0)
      ADD_FAILURE() << "component " << k / static_cast<std::size_t>(n) << " of cell "
                    << k % static_cast<std::size_t>(n) << ": " << got[k] << " instead of " << want[k];
  }
  EXPECT_EQ(wrong, 0) << sizeof(E) << " bytes, " << Numbers << " numbers a link";
}

class Layouts : public testing::TestWithParam<std::string> {};

// Links of 8 numbers have sines in them, which differ between vectors and single numbers.
TEST_P(Layouts, HaveTheBitsOfOneLoop) {
  if (test::device().cuda()) GTEST_SKIP() << "a GPU has bits of its own";
  const bool channel = GetParam().find(':') == 0;
  if (channel && test::world().nodes() > 1) GTEST_SKIP() << "peer cannot join nodes";
  const auto world = test::world_with([&](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
    if (channel)
      s.channel = GetParam().substr(1);
    else
      s.executor = GetParam();
  });
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (const Extents& extents : kExtents) {
    compare_bits<double, 18>(*world, extents);
    compare_bits<float, 12>(*world, extents);
    compare_bits<Half, 12>(*world, extents);
  }
}
INSTANTIATE_TEST_SUITE_P(Operator, Layouts,
                         testing::Values("eager", "overlapped", "resident", ":mpi", ":peer", ":peer:pack"),
                         [](const auto& info) { return "way" + std::to_string(info.index); });

// Each way to store numbers against double.
template <class S>
double error_of(World& world, int numbers, bool weak) {
  const Lattice lattice(world, {4, 6, 4, 8});
  Gauge gauge(lattice);
  if (weak)
    set_weak(gauge, 0.3, test::seed());
  else
    set_random(gauge, test::seed());
  Action action;
  action.phase = {1, 0, 0, 1};
  Random random = test::random(8);
  SpinorField in(lattice, "in");
  in.from_sites(lattice, part_of(random_numbers(static_cast<std::size_t>(lattice.sites()) * 24, random),
                                 lattice.extents(), lattice.owned(), 24));
  const auto reals = [&](const auto& field, auto s) { // of a parity, without the scale
    using T = decltype(s);
    const auto planes = field.to_host();
    const auto n = static_cast<std::size_t>(lattice.owned_sites() / 2);
    std::vector<double> values;
    for (std::size_t k = 0; k < 24; ++k)
      for (std::size_t c = 0; c < n; ++c) {
        double scale = 1;
        if constexpr (std::is_same_v<T, Half>)
          scale = float_of(static_cast<std::uint16_t>(planes[24 * n + c]) |
                           static_cast<std::uint32_t>(static_cast<std::uint16_t>(planes[25 * n + c])) << 16);
        values.push_back(scale * static_cast<double>(planes[k * n + c]));
      }
    return values;
  };
  const auto exact = make_dirac<double>(gauge, action, 18);
  const Block block(lattice, 1);
  auto d_in = make_spinors<double>(block, "in"), d_out = make_spinors<double>(block, "out");
  d_in.from_host(in.parity[1].to_host());
  run(program(exact->hop(0, d_out, d_in)));
  const auto stored = make_dirac<S>(gauge, action, numbers);
  auto s_in = make_spinors<S>(block, "in"), s_out = make_spinors<S>(block, "out");
  const std::vector<double> values = in.parity[1].to_host();
  const auto n = static_cast<std::size_t>(lattice.owned_sites() / 2);
  std::vector<typename Stored<S>::Element> put(n * Stored<S>::kPlanes);
  for (std::size_t c = 0; c < n; ++c) {
    double most = 1e-30;
    for (std::size_t k = 0; k < 24; ++k) most = std::max(most, std::abs(values[k * n + c]));
    for (std::size_t k = 0; k < 24; ++k)
      put[k * n + c] = static_cast<typename Stored<S>::Element>(
          std::is_same_v<S, Half> ? std::rint(values[k * n + c] / most * kFullScale) : values[k * n + c]);
    if constexpr (std::is_same_v<S, Half>) {
      const std::uint32_t bits = bits_of(static_cast<float>(most) / kFullScale);
      put[24 * n + c] = static_cast<std::int16_t>(static_cast<std::uint16_t>(bits & 0xffff));
      put[25 * n + c] = static_cast<std::int16_t>(static_cast<std::uint16_t>(bits >> 16));
    }
  }
  s_in.from_host(put);
  run(program(stored->hop(0, s_out, s_in)));
  return farthest(reals(s_out, S{}), reals(d_out, double{}));
}

TEST(Storage, IsAsCloseAsItsNumbers) {
  const auto world = plain_world();
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()));
  for (const bool weak : {false, true}) {
    EXPECT_LT(error_of<double>(*world, 12, weak), 1e-13);
    EXPECT_LT(error_of<double>(*world, 8, weak), 1e-6);
    EXPECT_LT(error_of<float>(*world, 18, weak), 3e-5);
    EXPECT_LT(error_of<float>(*world, 12, weak), 3e-5);
    EXPECT_LT(error_of<float>(*world, 8, weak), 3e-2);
    EXPECT_LT(error_of<Half>(*world, 18, weak), 5e-3);
    EXPECT_LT(error_of<Half>(*world, 12, weak), 1e-2);
    EXPECT_LT(error_of<Half>(*world, 8, weak), 1);
    EXPECT_GT(error_of<Half>(*world, 12, weak), 1e-6); // the comparison sees something
  }
}

TEST(HalfSpinor, IsWhatTheModelCounts) {
  const Lattice lattice(test::world(), {8, 4, 8, 8});
  const Gauge gauge(lattice);
  const auto dirac = make_dirac<double>(gauge, {}, 18);
  const Block block(lattice, 1);
  const auto in = make_spinors<double>(block, "in"), x = make_spinors<double>(block, "x"),
             odd = make_spinors<double>(block, "odd"), out = make_spinors<double>(block, "out");
  test::expect_predicted(
      {{.what = dirac->hop(1, odd, in)}, {.what = dirac->combine(0, out, x, odd, -0.5)}, swap(in, out)}, 4,
      4);
}

TEST(HalfSpinor, TravelsAsTwelveNumbers) {
  const auto codec = half_spinor(24);
  for (int a = 0; a < 4; ++a)
    for (const auto& terms : codec->terms[static_cast<std::size_t>(a)]) EXPECT_EQ(terms.size(), 12u);
  EXPECT_EQ(half_spinor(26)->terms[0][0].size(), 14u);
}

// Plane waves of the free operator: 1 - 2 kappa sum cos p -+ 2 i kappa sqrt(sum sin^2 p).
TEST(FreeField, HasPlaneWaves) {
  const auto world = plain_world();
  const Extents extents{4, 6, 4, 8};
  const Lattice lattice(*world, extents);
  const Gauge gauge(lattice);
  const Action action{.kappa = 0.11, .phase = {0, 0, 0, 1}};
  Solver solver(gauge, action, {});
  const double pi = std::acos(-1.0);
  const Extents modes[] = {{0, 0, 0, 0}, {1, 2, 3, 5}, {3, 5, 1, 2}};
  for (const Extents& mode : modes) {
    double p[4], cosines = 0, sines = 0;
    for (int mu = 0; mu < 4; ++mu) {
      const auto a = static_cast<std::size_t>(mu);
      p[mu] = 2 * pi * (static_cast<double>(mode[a]) + action.phase[a] / 2) / static_cast<double>(extents[a]);
      cosines += std::cos(p[mu]);
      sines += std::sin(p[mu]) * std::sin(p[mu]);
    }
    // M e^{ipx} u = (1 - 2 kappa sum cos + 2 i kappa sum gamma sin) e^{ipx} u; twice that less its mean gives -sines.
    Random random = test::random(12);
    const std::vector<double> u = random_numbers(24, random);
    std::vector<double> wave;
    for (long t = 0; t < extents[3]; ++t)
      for (long z = 0; z < extents[2]; ++z)
        for (long y = 0; y < extents[1]; ++y)
          for (long x = 0; x < extents[0]; ++x)
            for (std::size_t k = 0; k < 12; ++k) {
              const double angle = p[0] * static_cast<double>(x) + p[1] * static_cast<double>(y) +
                                   p[2] * static_cast<double>(z) + p[3] * static_cast<double>(t);
              const Number v = std::polar(1.0, angle) * Number(u[2 * k], u[2 * k + 1]);
              wave.insert(wave.end(), {v.real(), v.imag()});
            }
    const std::vector<double> psi = part_of(wave, extents, lattice.owned(), 24);
    SpinorField a(lattice, "a"), b(lattice, "b"), c(lattice, "c");
    a.from_sites(lattice, psi);
    solver.apply(b, a);
    solver.apply(c, b);
    const std::vector<double> once = b.to_sites(lattice), twice = c.to_sites(lattice);
    const double mean = 1 - 2 * action.kappa * cosines, spread = 4 * action.kappa * action.kappa * sines;
    double most = 0;
    for (std::size_t k = 0; k < psi.size(); ++k) // (M - mean)^2 = -spread
      most = std::max(most, std::abs(twice[k] - 2 * mean * once[k] + (mean * mean + spread) * psi[k]));
    EXPECT_LT(most, 1e-13);
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b, World& world, double* imaginary) {
  double sums[2] = {0, 0};
  for (std::size_t k = 0; k < a.size(); k += 2) {
    sums[0] += a[k] * b[k] + a[k + 1] * b[k + 1];
    sums[1] += a[k] * b[k + 1] - a[k + 1] * b[k];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, world.comm());
  *imaginary = sums[1];
  return sums[0];
}
std::vector<double> by_gamma5(const std::vector<double>& a) {
  std::vector<double> b(a.size());
  for (std::size_t site = 0; site < a.size(); site += 24)
    for (std::size_t k = 0; k < 24; ++k) b[site + k] = -a[site + (k + 12) % 24];
  return b;
}

TEST(Symmetry, Gamma5MakesItHermitian) {
  const auto world = plain_world();
  const Lattice lattice(*world, {4, 4, 6, 8});
  Gauge gauge(lattice);
  set_random(gauge, test::seed());
  Solver solver(gauge, {.kappa = 0.13, .phase = {0.3, 0, 1, 1}}, {});
  Random random = test::random(3);
  const auto part = [&] {
    return part_of(random_numbers(static_cast<std::size_t>(lattice.sites()) * 24, random), lattice.extents(),
                   lattice.owned(), 24);
  };
  const std::vector<double> x = part(), y = part();
  SpinorField in(lattice, "in"), out(lattice, "out");
  in.from_sites(lattice, y);
  solver.apply(out, in);
  double left_im = 0, right_im = 0;
  const double left = dot(by_gamma5(x), out.to_sites(lattice), *world, &left_im);
  in.from_sites(lattice, x);
  solver.apply(out, in);
  const double right = dot(by_gamma5(out.to_sites(lattice)), y, *world, &right_im);
  EXPECT_NEAR(left, right, 1e-10);
  EXPECT_NEAR(left_im, right_im, 1e-10);
  EXPECT_GT(std::abs(left) + std::abs(left_im), 1e-3);
}

TEST(Storage, RefusesWhatItCannotHold) {
  const auto world = plain_world();
  const Lattice lattice(*world, {4, 4, 4, 4});
  const Gauge gauge(lattice);
  const auto refusal = [&](const Action& action, SolveOptions options) -> std::string {
    try {
      Solver solver(gauge, action, options);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  };
  EXPECT_NE(refusal({.phase = {0.5, 0, 0, 0}}, {.links = 12}).find("no phases but 1 and -1"),
            std::string::npos);
  EXPECT_NE(refusal({}, {.links = 9}).find("9 numbers"), std::string::npos);
  EXPECT_NE(refusal({}, {.tolerance = 0}).find("tolerance"), std::string::npos);
  EXPECT_NE(refusal({}, {.sums = 1}).find("1 sums"), std::string::npos);
}

} // namespace
} // namespace tasuki::wilson

// Sources against loops over all sites of the lattice, each rank with the whole of it.
#include <apps/wilson/quark/smear.hpp>
#include <apps/wilson/quark/source.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <functional>

namespace tasuki::wilson {
namespace {

using Number = std::complex<double>;
using Site = std::array<long, kAxes>;

// Site-order values of all ranks as one array over the lattice, `reals` a site, on every rank.
std::vector<double> whole(const Lattice& lattice, const std::vector<double>& mine, std::size_t reals) {
  const std::array<long, kAxes>& n = lattice.extents();
  std::vector<double> all(static_cast<std::size_t>(lattice.sites()) * reals);
  const Box box = lattice.owned();
  std::size_t at = 0;
  for (long t = box.lo[3]; t < box.hi[3]; ++t)
    for (long z = box.lo[2]; z < box.hi[2]; ++z)
      for (long y = box.lo[1]; y < box.hi[1]; ++y)
        for (long x = box.lo[0]; x < box.hi[0]; ++x)
          for (std::size_t k = 0; k < reals; ++k)
            all[static_cast<std::size_t>(((t * n[2] + z) * n[1] + y) * n[0] + x) * reals + k] = mine[at++];
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM,
                lattice.world().comm());
  return all;
}

std::size_t number_of(const Site& n, Site s) {
  for (std::size_t a = 0; a < kAxes; ++a) s[a] = (s[a] + n[a]) % n[a];
  return static_cast<std::size_t>(((s[3] * n[2] + s[2]) * n[1] + s[1]) * n[0] + s[0]);
}

void for_all(const Site& n, const std::function<void(const Site&)>& call) {
  for (long t = 0; t < n[3]; ++t)
    for (long z = 0; z < n[2]; ++z)
      for (long y = 0; y < n[1]; ++y)
        for (long x = 0; x < n[0]; ++x) call({x, y, z, t});
}

// The same smearing by loops: vectors of one colour each.
std::vector<Number> smeared_by_hand(const std::vector<double>& links, const Site& n, const Site& at,
                                    int colour, double width, long steps) {
  const auto link = [&](const Site& s, int mu, int i, int j) {
    const std::size_t k =
        ((number_of(n, s) * 4 + static_cast<std::size_t>(mu)) * 9 + static_cast<std::size_t>(3 * i + j)) * 2;
    return Number(links[k], links[k + 1]);
  };
  std::vector<Number> chi(links.size() / 72 * 3);
  chi[number_of(n, at) * 3 + static_cast<std::size_t>(colour)] = 1;
  const double factor = width * width / (4.0 * static_cast<double>(steps));
  for (long step = 0; step < steps; ++step) {
    std::vector<Number> next(chi);
    for_all(n, [&](const Site& s) {
      for (int i = 0; i < 3; ++i) {
        const std::size_t here = number_of(n, s) * 3 + static_cast<std::size_t>(i);
        Number sum = -6.0 * chi[here];
        for (int k = 0; k < 3; ++k) {
          Site up = s, down = s;
          ++up[static_cast<std::size_t>(k)];
          --down[static_cast<std::size_t>(k)];
          for (int j = 0; j < 3; ++j)
            sum += link(s, k, i, j) * chi[number_of(n, up) * 3 + static_cast<std::size_t>(j)] +
                   std::conj(link(down, k, j, i)) * chi[number_of(n, down) * 3 + static_cast<std::size_t>(j)];
        }
        next[here] = chi[here] + factor * sum;
      }
    });
    chi = next;
  }
  return chi;
}

std::vector<double> column_of(const Lattice& lattice, const Source& source, int spin, int colour) {
  SpinorField b(lattice, "b");
  source.column(spin, colour, b);
  return whole(lattice, b.to_sites(lattice), kSpinorReals);
}

TEST(Source, APointIsOneNumber) {
  const Lattice lattice(test::world(), {4, 4, 6, 8});
  const Gauge gauge(lattice);
  test::Random random = test::random(1);
  for (int trial = 0; trial < 4; ++trial) {
    Site at{};
    for (std::size_t a = 0; a < kAxes; ++a) at[a] = test::pick(random, 0, lattice.extents()[a] - 1);
    const Source source(gauge, {SourceKind::point, at});
    const int spin = static_cast<int>(test::pick(random, 0, 3)),
              colour = static_cast<int>(test::pick(random, 0, 2));
    std::vector<double> got = column_of(lattice, source, spin, colour);
    const std::size_t one =
        number_of(lattice.extents(), at) * kSpinorReals + static_cast<std::size_t>(2 * (3 * spin + colour));
    EXPECT_EQ(got[one], 1);
    got[one] = 0;
    for (const double value : got) ASSERT_EQ(value, 0);
  }
}

TEST(Source, AWallIsATimeSlice) {
  const Lattice lattice(test::world(), {4, 4, 6, 8});
  const Gauge gauge(lattice);
  const Source source(gauge, {SourceKind::wall, {1, 2, 3, 5}});
  const std::vector<double> got = column_of(lattice, source, 2, 1);
  for_all(lattice.extents(), [&](const Site& s) {
    for (std::size_t k = 0; k < kSpinorReals; ++k)
      ASSERT_EQ(got[number_of(lattice.extents(), s) * kSpinorReals + k], s[3] == 5 && k == 14 ? 1 : 0);
  });
}

TEST(Source, SmearsAsTheLoopDoes) {
  test::Random random = test::random(2);
  const Site n = {4, 6, 4, 4}, at = {3, 5, 0, 2};
  const Lattice lattice(test::world(), n);
  Gauge gauge(lattice);
  set_random(gauge, random());
  const std::vector<double> links = whole(lattice, gauge.to_sites(), 72);
  const Source source(gauge, {SourceKind::gaussian, at, 1.7, 6});
  for (int colour = 0; colour < 3; ++colour) {
    const int spin = (2 * colour + 1) % 4;
    const std::vector<double> got = column_of(lattice, source, spin, colour);
    const std::vector<Number> want = smeared_by_hand(links, n, at, colour, 1.7, 6);
    for_all(n, [&](const Site& s) {
      for (int k = 0; k < 12; ++k) {
        const std::size_t g = (number_of(n, s) * 12 + static_cast<std::size_t>(k)) * 2;
        const Number w = k / 3 == spin ? want[number_of(n, s) * 3 + static_cast<std::size_t>(k % 3)] : 0;
        ASSERT_NEAR(got[g], w.real(), 1e-13);
        ASSERT_NEAR(got[g + 1], w.imag(), 1e-13);
      }
    });
  }
}

// The sum over a time slice is that of the point: on the unit field a step of diffusion moves and loses nothing.
TEST(Source, SmearingLosesNothingOnTheUnitField) {
  const Lattice lattice(test::world(), {8, 4, 4, 4});
  const Gauge gauge(lattice);
  const Source source(gauge, {SourceKind::gaussian, {6, 1, 2, 3}, 2, 12});
  const std::vector<double> got = column_of(lattice, source, 0, 2);
  std::vector<double> slices(4);
  double lost = 0;
  for_all(lattice.extents(), [&](const Site& s) {
    for (std::size_t k = 0; k < kSpinorReals; ++k)
      (k == 4 ? slices[static_cast<std::size_t>(s[3])] : lost) +=
          got[number_of(lattice.extents(), s) * kSpinorReals + k];
  });
  EXPECT_NEAR(slices[3], 1, 1e-13);
  EXPECT_EQ(slices[0] + slices[1] + slices[2] + lost, 0);
}

TEST(Source, SpinorsGoToSitesAndBack) {
  const Lattice lattice(test::world(), {4, 6, 2, 4});
  test::Random random = test::random(3);
  std::vector<double> spinors(static_cast<std::size_t>(lattice.owned_sites()) * kSpinorReals);
  for (double& x : spinors) x = std::uniform_real_distribution<double>(-1, 1)(random);
  SpinorField field(lattice, "f");
  field.from_sites(lattice, spinors);
  EXPECT_EQ(field.to_sites(lattice), spinors);
  const Box box = lattice.owned();
  const Site corner = {box.hi[0] - 1, box.hi[1] - 1, box.hi[2] - 1, box.hi[3] - 1};
  const Place place = place_of(box, corner);
  const std::vector<double> planes = field.parity[static_cast<std::size_t>(place.parity)].to_host();
  const auto cells = static_cast<std::size_t>(lattice.owned_sites() / 2);
  EXPECT_EQ(planes[5 * cells + static_cast<std::size_t>(place.cell)],
            spinors[spinors.size() - kSpinorReals + 5]);
  EXPECT_THROW(field.from_sites(lattice, {1, 2, 3}), Error);
}

} // namespace
} // namespace tasuki::wilson

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/gauge/random.hpp>
#include <apps/wilson/gauge/unitary.hpp>
#include <apps/wilson/lattice/hops.hpp>
#include <apps/wilson/lattice/sites.hpp>

#include <array>

namespace tasuki::wilson {
namespace {

struct Unit {
  TS_CELL void operator()(auto c, auto u) const { store(u, c, Matrix<double>::one()); }
};

struct Haar {
  std::uint64_t seed;
  Purpose purpose;
  int parity, mu;

  TS_CELL void operator()(auto c, auto u) const {
    const Draws draws(seed, site_number(c, parity), 0, purpose, mu);
    Matrix<double> m{};
    for (int k = 0; k < 3; ++k) { // the first two rows: six complex numbers, two per call
      const Normals n = normals(draws(static_cast<std::uint32_t>(k)));
      for (int half = 0; half < 2; ++half) {
        const int at = 2 * k + half;
        m.e[at / kColours][at % kColours] = {n.x[2 * half], n.x[2 * half + 1]};
      }
    }
    store(u, c, unitarised(unitarised(m))); // twice: an almost singular m leaves large rounding errors
  }
};

struct Weak {
  std::uint64_t seed;
  double width;
  int parity, mu, halvings;

  TS_CELL void operator()(auto c, auto u) const {
    const Draws draws(seed, site_number(c, parity), 0, Purpose::start, mu);
    const Normals a = normals(draws(0)), b = normals(draws(1));
    const double w = 0.5 * width, d = b.x[3] * 0.57735026918962576451; // lambda_8 = diag(1, 1, -2) / sqrt(3)
    Matrix<double> h{};
    h.e[0][0] = {w * (b.x[2] + d), 0};
    h.e[1][1] = {w * (d - b.x[2]), 0};
    h.e[2][2] = {w * (-2 * d), 0};
    h.e[0][1] = {w * a.x[0], w * -a.x[1]};
    h.e[0][2] = {w * a.x[2], w * -a.x[3]};
    h.e[1][2] = {w * b.x[0], w * -b.x[1]};
    for (int i = 0; i < kColours; ++i)
      for (int j = 0; j < i; ++j) h.e[i][j] = conj(h.e[j][i]);
    store(u, c, exponential(h, halvings));
  }
};

struct Transform {
  int parity, mu;

  TS_CELL void operator()(auto c, auto here, auto there, auto u) const {
    const Hop hop = Hop::from(c, parity).forward(mu);
    store(u, c, load(here, c) * load(u, c) * adjoint(load(there, c, hop)));
  }
};

MatrixField matrices(const Lattice& lattice, const std::string& name) { return {lattice.grid(), name}; }

} // namespace

Gauge::Gauge(const Lattice& lattice) : lattice_(lattice) {
  for (const char* parity : {"even ", "odd "})
    for (int mu = 0; mu < kAxes; ++mu) links_.push_back(matrices(lattice, std::string(parity) + "xyzt"[mu]));
  set_unit(*this);
}

std::vector<double> Gauge::to_sites() const {
  const Box sites = lattice_.owned();
  std::vector<double> all(static_cast<std::size_t>(lattice_.owned_sites()) * kAxes * kMatrixReals);
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) {
      const std::vector<double> planes = link(p, mu).to_host();
      for_each_site(sites, p, [&](std::size_t cell, std::size_t site) {
        double* const to = &all[(site * kAxes + static_cast<std::size_t>(mu)) * kMatrixReals];
        const std::size_t plane = planes.size() / kMatrixReals;
        for (std::size_t k = 0; k < kMatrixReals; ++k) to[k] = planes[k * plane + cell];
      });
    }
  return all;
}

void Gauge::from_sites(const std::vector<double>& all) {
  const auto want = static_cast<std::size_t>(lattice_.owned_sites()) * kAxes * kMatrixReals;
  if (all.size() != want)
    throw Error("a gauge field was given " + std::to_string(all.size()) + " numbers, a rank here owns " +
                    std::to_string(want),
                "give 72 for each site that this rank owns");
  const Box sites = lattice_.owned();
  std::vector<double> planes(want / (2 * kAxes));
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) {
      for_each_site(sites, p, [&](std::size_t cell, std::size_t site) {
        const double* const from = &all[(site * kAxes + static_cast<std::size_t>(mu)) * kMatrixReals];
        const std::size_t plane = planes.size() / kMatrixReals;
        for (std::size_t k = 0; k < kMatrixReals; ++k) planes[k * plane + cell] = from[k];
      });
      links_[static_cast<std::size_t>(p * kAxes + mu)].from_host(planes);
    }
}

SiteMatrices::SiteMatrices(const Lattice& lattice)
    : parity{matrices(lattice, "even matrices"), matrices(lattice, "odd matrices")} {}

// Runs one(parity, mu) for all eight fields.
template <class One>
void each_link(const One& one) {
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) one(p, mu);
}

void set_unit(Gauge& gauge) {
  each_link(
      [&](int p, int mu) { run(sweep(Unit{}, gauge.lattice().grid().all(), writes(gauge.link(p, mu)))); });
}

void set_random(Gauge& gauge, std::uint64_t seed) {
  each_link([&](int p, int mu) {
    run(sweep(Haar{seed, Purpose::start, p, mu}, gauge.lattice().grid().all(), writes(gauge.link(p, mu))));
  });
}

void set_weak(Gauge& gauge, double width, std::uint64_t seed) {
  if (!(width >= 0 && width <= 10))
    throw Error("a weak field of width " + std::to_string(width) + " is none", "use a width from 0 to 10");
  int halvings = 0; // until 8 standard deviations are small: the series has 16 terms
  for (double size = 8 * width; size > 0.5; size /= 2) ++halvings;
  each_link([&](int p, int mu) {
    run(sweep(Weak{seed, width, p, mu, halvings}, gauge.lattice().grid().all(), writes(gauge.link(p, mu))));
  });
}

void set_random(SiteMatrices& matrices, const Lattice& lattice, std::uint64_t seed) {
  for (int p = 0; p < 2; ++p)
    run(sweep(Haar{seed, Purpose::transformation, p, 0}, lattice.grid().all(),
              writes(matrices.parity[static_cast<std::size_t>(p)])));
}

void transform(Gauge& gauge, const SiteMatrices& by) {
  each_link([&](int p, int mu) {
    const auto here = static_cast<std::size_t>(p);
    run(sweep(Transform{p, mu}, gauge.lattice().grid().all(), reads(by.parity[here]),
              reads(by.parity[1 - here], star(1)), updates(gauge.link(p, mu))));
  });
}

} // namespace tasuki::wilson

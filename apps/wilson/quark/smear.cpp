#include <apps/wilson/lattice/hops.hpp>
#include <apps/wilson/quark/smear.hpp>

namespace tasuki::wilson {
namespace {

template <class V, class C>
TS_HD Spinor<double> spinor_at(const V& field, const C& c, const Hop& hop) {
  return load_spinor<double>([&](int k) { return field[k](c, hop.by[0], hop.by[1], hop.by[2], hop.by[3]); });
}

// One step for the sites of one parity.
struct Diffuse {
  int parity;
  double keep, spread;

  // sum += U_mu(n) chi(n + mu) + U_mu(n - mu)^dagger chi(n - mu)
  TS_CELL static void add(Spinor<double>& sum, const auto& c, const Hop& at, int mu, const auto& chi,
                          const auto& forwards, const auto& backwards) {
    const Spinor<double> after = spinor_at(chi, c, at.forward(mu)),
                         before = spinor_at(chi, c, at.backward(mu));
    const Matrix<double> u = load(forwards, c), v = load(backwards, c, at.backward(mu));
    for (int s = 0; s < kSpins; ++s)
      sum.s[s] = sum.s[s] + (multiply(u, after.s[s]) + adjoint_multiply(v, before.s[s]));
  }

  // A single type name for links: nvcc 13 fails with ten `auto` parameters.
  template <class Link>
  TS_CELL void operator()(auto c, auto chi, auto others, Link ux, Link uy, Link uz, Link vx, Link vy, Link vz,
                          auto next) const {
    const Hop at = Hop::from(c, parity);
    Spinor<double> sum{};
    add(sum, c, at, 0, others, ux, vx);
    add(sum, c, at, 1, others, uy, vy);
    add(sum, c, at, 2, others, uz, vz);
    const Spinor<double> here = load_spinor<double>([&](int k) { return chi[k](c); });
    for (int s = 0; s < kSpins; ++s) sum.s[s] = keep * here.s[s] + spread * sum.s[s];
    store_spinor(sum, [&](int k, double value) { next[k](c) = value; });
  }
};

} // namespace

void smear(const Gauge& gauge, double width, long steps, SpinorField& chi) {
  const Lattice& lattice = gauge.lattice();
  const double spread = width * width / (4 * static_cast<double>(steps));
  const Shape space = star({1, 1, 1, 0});
  SpinorField next(lattice, "smeared");
  const auto step = [&](int p) {
    const int q = 1 - p;
    const auto e = static_cast<std::size_t>(p), o = static_cast<std::size_t>(q);
    return sweep(Diffuse{p, 1 - 6 * spread, spread}, lattice.grid().all(), reads(chi.parity[e]),
                 reads(chi.parity[o], space), reads(gauge.link(p, 0)), reads(gauge.link(p, 1)),
                 reads(gauge.link(p, 2)), reads(gauge.link(q, 0), space), reads(gauge.link(q, 1), space),
                 reads(gauge.link(q, 2), space), writes(next.parity[e]));
  };
  run(program(step(0), step(1), swap(chi.parity[0], next.parity[0]), swap(chi.parity[1], next.parity[1])),
      {.times = steps});
}

} // namespace tasuki::wilson

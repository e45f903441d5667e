#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/gauge/unitary.hpp>
#include <apps/wilson/lattice/hops.hpp>
#include <apps/wilson/lattice/total.hpp>

namespace tasuki::wilson {
namespace {

const Halo kForward{Width{0, 1}};
const Halo kForwardInTime{Width{0, 0}, Width{0, 0}, Width{0, 0}, Width{0, 1}};

// Re tr a b^dagger
TS_HD double real_trace_adjoint(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (int i = 0; i < kColours; ++i)
    for (int j = 0; j < kColours; ++j)
      sum = fused(a.e[i][j].im, b.e[i][j].im, fused(a.e[i][j].re, b.e[i][j].re, sum));
  return sum;
}

// Re tr of the plaquette of Mu and Nu, from the two paths through n + Mu and n + Nu.
template <int Mu, int Nu, class C, class Here, class Next>
TS_HD double plaquette_at(const C& c, const Hop& n, const Here& u_mu, const Here& u_nu, const Next& next_mu,
                          const Next& next_nu) {
  return real_trace_adjoint(load(u_mu, c) * load(next_nu, c, n.forward(Mu)),
                            load(u_nu, c) * load(next_mu, c, n.forward(Nu)));
}

// Re tr of the site's six plaquettes, summed over the spatial ones and over those with time.
struct Plaquettes {
  int parity;

  // Types are explicit: nvcc 13.0 fails with ten parameters of type `auto`.
  template <class C, class Links, class Sums>
  TS_CELL void operator()(C c, Links x, Links y, Links z, Links t, Links next_x, Links next_y, Links next_z,
                          Links next_t, Sums sums) const {
    const Hop n = Hop::from(c, parity);
    sums[0](c) = plaquette_at<0, 1>(c, n, x, y, next_x, next_y) +
                 plaquette_at<0, 2>(c, n, x, z, next_x, next_z) +
                 plaquette_at<1, 2>(c, n, y, z, next_y, next_z);
    sums[1](c) = plaquette_at<0, 3>(c, n, x, t, next_x, next_t) +
                 plaquette_at<1, 3>(c, n, y, t, next_y, next_t) +
                 plaquette_at<2, 3>(c, n, z, t, next_z, next_t);
  }
};

struct LinkTrace {
  TS_CELL void operator()(auto c, auto x, auto y, auto z, auto t, auto sum) const {
    sum(c) = (trace(load(x, c)).re + trace(load(y, c)).re) + (trace(load(z, c)).re + trace(load(t, c)).re);
  }
};

struct Copy {
  TS_CELL void operator()(auto c, auto from, auto to) const { store(to, c, load(from, c)); }
};
// The line that begins here: this link times the line that begins at the next site.
struct Lengthen {
  TS_CELL void operator()(auto c, auto link, auto line, auto longer) const {
    store(longer, c, load(link, c) * load(line, c, Hop{0, {0, 0, 0, 1}}));
  }
};
struct Trace {
  TS_CELL void operator()(auto c, auto line, auto sum) const {
    const Complex<double> value = trace(load(line, c));
    sum[0](c) = value.re;
    sum[1](c) = value.im;
  }
};

struct BesideGroup {
  TS_CELL void operator()(auto c, auto link, auto unitarity, auto det) const {
    const Matrix<double> u = load(link, c);
    const Complex<double> d = determinant(u);
    unitarity(c, beside_unitary(u));
    det(c, sqrt(norm2(d - Complex<double>{1, 0})));
  }
};

bool worse(double a, double b) { return a > b || (std::isnan(a) && !std::isnan(b)); }

void take(Deviation& most, const tasuki::Place<double>& found, const Lattice& lattice, int parity, int mu) {
  if (!worse(found.value, most.value)) return;
  most.value = found.value;
  most.mu = mu;
  long cell = found.cell;
  std::array<long, kAxes> at{};
  for (int a = 0; a < kAxes; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    at[axis] = cell % lattice.grid().extent(a);
    cell /= lattice.grid().extent(a);
  }
  at[0] = 2 * at[0] + x_bit(parity, row_parity(at));
  most.site = at;
}

} // namespace

Plaquette plaquette(const Gauge& gauge) {
  const Lattice& lattice = gauge.lattice();
  const Field<double[2]> sums(lattice.grid(), "plaquettes");
  Totals totals(2);
  for (int p = 0; p < 2; ++p) {
    const auto here = [&](int mu) { return reads(gauge.link(p, mu)); };
    const auto next = [&](int mu) { return reads(gauge.link(1 - p, mu), star(kForward)); };
    run(sweep(Plaquettes{p}, lattice.grid().all(), here(0), here(1), here(2), here(3), next(0), next(1),
              next(2), next(3), writes(sums)));
    totals.add(sums);
  }
  const std::vector<double> sum = totals.over_ranks(gauge.world());
  const double all = 9.0 * static_cast<double>(lattice.sites()); // three planes, and tr 1 = 3
  return {(sum[0] + sum[1]) / (2 * all), sum[0] / all, sum[1] / all};
}

double link_trace(const Gauge& gauge) {
  const Lattice& lattice = gauge.lattice();
  const Field<double> sum(lattice.grid(), "traces");
  Totals totals(1);
  for (int p = 0; p < 2; ++p) {
    run(sweep(LinkTrace{}, lattice.grid().all(), reads(gauge.link(p, 0)), reads(gauge.link(p, 1)),
              reads(gauge.link(p, 2)), reads(gauge.link(p, 3)), writes(sum)));
    totals.add(sum);
  }
  return totals.over_ranks(gauge.world())[0] / (12.0 * static_cast<double>(lattice.sites()));
}

// Multiplies from the last slice to the first, so that the order of the product is independent of the cut along t.
std::complex<double> polyakov(const Gauge& gauge) {
  const Lattice& lattice = gauge.lattice();
  const Grid<kAxes>& grid = lattice.grid();
  const SiteMatrices line(lattice);
  const Field<double[2]> sum(grid, "lines' traces");
  const auto slice = [&](long t) {
    return grid.box({0, 0, 0, t}, {grid.extent(0), grid.extent(1), grid.extent(2), t + 1});
  };
  const long last = grid.extent(3) - 1;
  Items items;
  for (std::size_t p = 0; p < 2; ++p)
    items.push_back(
        Item{sweep(Copy{}, slice(last), reads(gauge.link(static_cast<int>(p), 3)), writes(line.parity[p]))});
  for (long t = last - 1; t >= 0; --t)
    for (std::size_t p = 0; p < 2; ++p)
      items.push_back(Item{sweep(Lengthen{}, slice(t), reads(gauge.link(static_cast<int>(p), 3)),
                                 reads(line.parity[1 - p], star(kForwardInTime)), writes(line.parity[p]))});
  run(Program(std::move(items)));
  Totals totals(2);
  for (const MatrixField& parity : line.parity) {
    run(sweep(Trace{}, slice(0), reads(parity), writes(sum))); // 0 in the other slices
    totals.add(sum);
  }
  const std::vector<double> value = totals.over_ranks(gauge.world());
  const double all = 3.0 * static_cast<double>(lattice.sites() / grid.extent(3));
  return {value[0] / all, value[1] / all};
}

bool GaugeCheck::within(double tolerance) const {
  return unitarity.value <= tolerance && determinant.value <= tolerance;
}

GaugeCheck check(const Gauge& gauge) {
  GaugeCheck found;
  found.unitarity.value = found.determinant.value = -1;
  const MaxPlace<double> unitarity(gauge.world(), "unitarity"), det(gauge.world(), "determinant");
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) {
      run(sweep(BesideGroup{}, gauge.lattice().grid().all(), reads(gauge.link(p, mu)), reduces(unitarity),
                reduces(det)));
      take(found.unitarity, unitarity.value(), gauge.lattice(), p, mu);
      take(found.determinant, det.value(), gauge.lattice(), p, mu);
    }
  return found;
}

} // namespace tasuki::wilson

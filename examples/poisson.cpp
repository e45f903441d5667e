// Poisson's equation by conjugate gradients whose numbers never leave the device: -(u_xx + u_yy) = f, u = 0 on the rim.
//
//   mpirun -n 4 ./poisson
//
// `settle` makes alpha and beta of the sums, on the device and with the same bits on every rank; `uses` hands them to a
// sweep. The right-hand side belongs to u = x (1 - x) y (1 - y), whose fourth differences are 0: the solution of the
// discrete equation is that, to the last digits.
#include <tasuki/tasuki.hpp>

#include <cmath>
#include <cstdio>
namespace ts = tasuki;

constexpr long kCells = 129;
constexpr double kWidth = 1.0 / (kCells - 1);

TS_CELL double known(auto c) {
  const double x = kWidth * c[0], y = kWidth * c[1];
  return x * (1 - x) * y * (1 - y);
}

struct Start { // x = 0, so r = p = h^2 f, and (r, r)
  TS_CELL void operator()(auto c, auto r, auto p, auto rr) const {
    const double x = kWidth * c[0], y = kWidth * c[1];
    const double b = kWidth * kWidth * 2 * (x * (1 - x) + y * (1 - y));
    r(c) = b;
    p(c) = b;
    rr(c, b * b);
  }
};
struct Apply { // q = A p, and (p, q)
  TS_CELL void operator()(auto c, auto p, auto q, auto pq) const {
    const double v = 4 * p(c) - p(c, 1, 0) - p(c, -1, 0) - p(c, 0, 1) - p(c, 0, -1);
    q(c) = v;
    pq(c, p(c) * v);
  }
};
struct Alpha { // s: alpha, beta, (r, r)
  TS_CELL void operator()(double* s, double pq) const { s[0] = s[2] / pq; }
};
struct Descend {
  TS_CELL void operator()(auto c, auto s, auto p, auto q, auto u, auto r, auto rr) const {
    u(c) += s[0] * p(c);
    r(c) -= s[0] * q(c);
    rr(c, r(c) * r(c));
  }
};
struct Beta {
  TS_CELL void operator()(double* s, double rr) const {
    s[1] = rr / s[2];
    s[2] = rr;
  }
};
struct Turn {
  TS_CELL void operator()(auto c, auto s, auto r, auto p) const { p(c) = r(c) + s[1] * p(c); }
};
struct Error {
  TS_CELL void operator()(auto c, auto u, auto error) const { error(c, fabs(u(c) - known(c))); }
};

int main(int argc, char** argv) {
  ts::World world(argc, argv);
  ts::Grid<2> grid(world, {kCells, kCells}, {.halo = 1});
  ts::Field<double> u(grid, "u"), r(grid, "r"), p(grid, "p"), q(grid, "q");
  ts::Sum<double> pq(world, "pq"), rr(world, "rr");
  ts::Max<double> error(world, "error");
  ts::Scalars<3> s(world, "cg");
  const auto inner = grid.inner(1);

  ts::run(ts::sweep(Start{}, inner, ts::writes(r), ts::writes(p), ts::reduces(rr)));
  s.set({0, 0, rr.value()});
  const auto step = ts::program(
      ts::sweep(Apply{}, inner, ts::reads(p, ts::star(1)), ts::writes(q), ts::reduces(pq)),
      ts::settle(Alpha{}, s, pq),
      ts::sweep(Descend{}, inner, ts::uses(s), ts::reads(p), ts::reads(q), ts::updates(u), ts::updates(r),
                ts::reduces(rr)),
      ts::settle(Beta{}, s, rr), ts::sweep(Turn{}, inner, ts::uses(s), ts::reads(r), ts::updates(p)));
  const ts::RunReport report = ts::run(step, {.times = 1000, .until = ts::below(rr, 1e-26)});
  ts::run(ts::sweep(Error{}, inner, ts::reads(u), ts::reduces(error)));
  const double farthest = error.value();

  if (world.rank() == 0)
    std::printf("%s in %ld iterations, %s 1e-12 of the solution\n", report.reached ? "solved" : "not solved",
                report.steps, farthest < 1e-12 ? "within" : "further than");
  return report.reached && farthest < 1e-12 ? 0 : 1;
}

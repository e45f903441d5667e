// What another code has published of a whole solve: the residuals of BiCGStab, iteration by iteration.
//
// The CCS QCD solver benchmark (ccs-qcd 0.92, Fortran) comes with its output for 8^3 x 16, kappa 0.124, csw 1, of 2012:
// sums of its gauge field and source, the determinant of its clover term, 219 residuals and the solution's norm. Its
// iterations are written out here, with our hops in them and its clover term beside. Our own solver has no such term:
// it is held against that program's residuals with csw 0, by a run of it.
#include <apps/wilson/solver/solver.hpp>
#include <tests/apps/wilson/published_clover.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki::wilson {
namespace {

using ccs::Number;
using ccs::PublishedField;
using ccs::Site;

constexpr Site kExtents{8, 8, 8, 16};
constexpr double kKappa = 0.124;

std::unique_ptr<World> plain_world() {
  return test::world_with([](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
    s.sums = "exact";
  });
}

const PublishedField& field() {
  static const PublishedField made(kExtents);
  return made;
}

Gauge published_gauge(const Lattice& lattice) {
  Gauge gauge(lattice);
  gauge.from_sites(field().owned_links(lattice));
  return gauge;
}

TEST(Published, FieldIsTheOneThatWasMeant) {
  const Number links = field().sum_of_links(), source = field().sum_of_source();
  EXPECT_NEAR(links.real(), 96998.090205745393, 1e-7);
  EXPECT_NEAR(links.imag(), 54.807048221346015, 1e-9);
  EXPECT_NEAR(source.real(), -121.78644386275644, 1e-10);
  EXPECT_NEAR(source.imag(), 265.75256346703713, 1e-10);
}

// Spinors of a rank's sites in their order; odd sites are there and hold 0.
using Vector12 = std::vector<Number>;

class Even {
public:
  Even(const Lattice& lattice, const Gauge& gauge, const ccs::Clover& clover)
      : lattice_(lattice),
        clover_(clover),
        solver_(gauge, {.kappa = kKappa}, {}),
        in_(lattice, "in"),
        out_(lattice, "out") {}

  // 1 - kappa^2 F_e^-1 H_eo F_o^-1 H_oe
  Vector12 operator()(const Vector12& x) {
    Vector12 y = hops(hops(x));
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = x[k] - y[k];
    return y;
  }
  Number dot(const Vector12& a, const Vector12& b) const {
    Number sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += std::conj(a[k]) * b[k];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 2, MPI_DOUBLE, MPI_SUM, lattice_.world().comm());
    return sum;
  }
  double norm(const Vector12& a) const { return std::sqrt(dot(a, a).real()); }

private:
  // kappa F^-1 H x: what M leaves of x, x being of one parity.
  Vector12 hops(const Vector12& x) {
    const auto* const reals = reinterpret_cast<const double*>(x.data());
    in_.from_sites(lattice_, {reals, reals + 2 * x.size()});
    solver_.apply(out_, in_);
    const std::vector<double> applied = out_.to_sites(lattice_);
    Vector12 y(x.size());
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = x[k] - Number(applied[2 * k], applied[2 * k + 1]);
    clover_.divide(y);
    return y;
  }

  const Lattice& lattice_;
  const ccs::Clover& clover_;
  Solver solver_;
  SpinorField in_, out_;
};

struct Solve {
  std::vector<double> residuals; // two an iteration, from 1 on
  Vector12 x;
};

// Theirs: a residual is looked at after each half of an iteration.
Solve bicgstab(Even& a, const Vector12& b, double tolerance) {
  Solve solve{{1}, Vector12(b.size())};
  Vector12 r = b, p = b;
  const auto add = [](Vector12& to, Number factor, const Vector12& what) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * what[k];
  };
  const double source = a.norm(b);
  const auto done = [&] {
    solve.residuals.push_back(a.norm(r) / source);
    return solve.residuals.back() <= tolerance || solve.residuals.size() > 400;
  };
  for (Number rho = a.dot(b, r);;) {
    const Vector12 q = a(p);
    const Number alpha = rho / a.dot(b, q);
    add(solve.x, alpha, p);
    add(r, -alpha, q);
    if (done()) return solve;
    const Vector12 t = a(r);
    const Number omega = a.dot(t, r) / a.dot(t, t).real();
    add(solve.x, omega, r);
    add(r, -omega, t);
    if (done()) return solve;
    const Number next = a.dot(b, r), beta = alpha * next / (omega * rho);
    rho = next;
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = r[k] + beta * (p[k] - omega * q[k]);
  }
}

struct Residual {
  std::size_t after;   // halves of an iteration
  double value, apart; // and by what part of it another order of sums may move it by then
};

TEST(Published, ResidualsWithTheirCloverTerm) {
  const auto world = plain_world();
  const Lattice lattice(*world, kExtents);
  const Gauge gauge = published_gauge(lattice);
  const ccs::Clover clover(lattice, field(), kKappa); // csw 1
  EXPECT_NEAR(clover.log_determinant(), -57.877906765333961, 1e-9);

  Even even(lattice, gauge, clover);
  const std::vector<double> source = field().owned_source(lattice);
  Vector12 b(source.size() / 2);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = {source[2 * k], source[2 * k + 1]};
  const Solve solve = bicgstab(even, b, 1e-13);
  const Residual published[] = {{1, 0.2874115952711983, 1e-11},      {2, 0.1385099525167503, 1e-11},
                                {3, 0.1846466018189815, 1e-11},      {10, 0.7542765959340296e-1, 1e-11},
                                {20, 0.7418455286452943e-2, 1e-11},  {40, 0.1603448038872138e-2, 1e-11},
                                {60, 0.4100386508860192e-4, 1e-10},  {80, 0.5841787327413750e-5, 1e-8},
                                {100, 0.1969813081211868e-6, 1e-8},  {120, 0.7732978811536713e-6, 1e-6},
                                {140, 0.1001975483586182e-8, 1e-6},  {160, 0.5873081929118748e-9, 1e-4},
                                {200, 0.8403138733003761e-12, 1e-2}, {219, 0.4516134257545315e-13, 1e-1}};
  for (const Residual& residual : published) {
    ASSERT_LT(residual.after, solve.residuals.size());
    EXPECT_NEAR(solve.residuals[residual.after] / residual.value, 1, residual.apart) << residual.after;
  }
  EXPECT_EQ(solve.residuals.size(), 220u); // 219 of them, and 1 before
  EXPECT_NEAR(even.dot(solve.x, solve.x).real() / 0.587744661711278e5, 1, 1e-11);
}

// By a run of their program with csw 0 on the same field and source, after so many whole iterations.
class WithoutClover : public testing::TestWithParam<int> {};

TEST_P(WithoutClover, SolverHasTheirResiduals) {
  const auto world = plain_world();
  const Lattice lattice(*world, kExtents);
  const Gauge gauge = published_gauge(lattice);
  SpinorField b(lattice, "b"), x(lattice, "x");
  b.from_sites(lattice, field().owned_source(lattice));
  Solver solver(gauge, {.kappa = kKappa}, {.tolerance = 1e-13, .sums = GetParam()});
  const SolveReport report = solver.solve(x, b);
  ASSERT_TRUE(report.converged) << report.why;
  EXPECT_NEAR(report.iterations, 101, 3); // theirs
  const Residual theirs[] = {{1, 0.1374765174181899, 1e-11},     {5, 0.7010931730549912e-1, 1e-11},
                             {10, 0.6310851540854490e-2, 1e-11}, {15, 0.1098035811029987e-1, 1e-11},
                             {20, 0.1075040936646293e-2, 1e-10}, {30, 0.2004852218010383e-4, 1e-8},
                             {40, 0.1056892441729493e-5, 1e-6},  {50, 0.5605113867065033e-7, 1e-4},
                             {60, 0.6008380744403315e-7, 1e-4},  {70, 0.1955482354768938e-9, 1e-2}};
  for (const Residual& residual : theirs) {
    ASSERT_LE(residual.after, report.history.size());
    EXPECT_NEAR(report.history[residual.after - 1] / residual.value, 1, residual.apart) << residual.after;
  }
  const std::vector<double> sites = x.to_sites(lattice);
  double sum = 0;
  std::size_t at = 0;
  ccs::for_each_owned(lattice, [&](const Site& n) {
    for (int k = 0; k < kSpinorReals; ++k, ++at)
      if ((n[0] + n[1] + n[2] + n[3]) % 2 == 0) sum += sites[at] * sites[at];
  });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world->comm());
  EXPECT_NEAR(sum / 0.564360046524851e5, 1, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Published, WithoutClover, testing::Values(2, 3));

} // namespace
} // namespace tasuki::wilson

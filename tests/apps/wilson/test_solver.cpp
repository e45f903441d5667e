// Solutions: the true residual, numbers that others published, every method and precision, and what has no solution.
#include <apps/wilson/solver/solver.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tasuki::wilson {
namespace {

using Extents = std::array<long, kAxes>;

std::unique_ptr<World> exact_world() {
  return test::world_with([](Settings& s) {
    s.halo = 0;
    s.ranks.clear();
    s.sums = "exact";
  });
}

SpinorField point(const Lattice& lattice, int component) {
  SpinorField b(lattice, "b");
  std::vector<double> sites(static_cast<std::size_t>(lattice.owned_sites()) * 24);
  const Box owned = lattice.owned();
  if (std::all_of(owned.lo.begin(), owned.lo.begin() + 4, [](long lo) { return lo == 0; }))
    sites[static_cast<std::size_t>(component) * 2] = 1;
  b.from_sites(lattice, sites);
  return b;
}

SpinorField noise(const Lattice& lattice) { // of the place alone
  SpinorField b(lattice, "b");
  std::vector<double> sites;
  const Box owned = lattice.owned();
  for (long t = owned.lo[3]; t < owned.hi[3]; ++t)
    for (long z = owned.lo[2]; z < owned.hi[2]; ++z)
      for (long y = owned.lo[1]; y < owned.hi[1]; ++y)
        for (long x = owned.lo[0]; x < owned.hi[0]; ++x)
          for (int k = 0; k < 24; ++k)
            sites.push_back(std::sin(static_cast<double>(1 + x * 3 + y * 7 + z * 11 + t * 17 + k * 23)));
  b.from_sites(lattice, sites);
  return b;
}

// Sums over space of |x|^2, by t.
std::vector<double> by_time(const Lattice& lattice, const SpinorField& x) {
  std::vector<double> sums(static_cast<std::size_t>(lattice.extents()[3]));
  const std::vector<double> sites = x.to_sites(lattice);
  const Box owned = lattice.owned();
  const auto slice = static_cast<std::size_t>(owned.cells() / owned.extent(3)) * 24;
  for (std::size_t k = 0; k < sites.size(); ++k)
    sums[static_cast<std::size_t>(owned.lo[3]) + k / slice] += sites[k] * sites[k];
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                lattice.world().comm());
  return sums;
}

double length(const Lattice& lattice, const SpinorField& x) {
  double sum = 0;
  for (const double s : by_time(lattice, x)) sum += s;
  return std::sqrt(sum);
}

// |b - M x| / |b| with the operator alone.
double residual_of(Solver& solver, const Lattice& lattice, const SpinorField& x, const SpinorField& b) {
  SpinorField mx(lattice, "mx");
  solver.apply(mx, x);
  const std::vector<double> have = mx.to_sites(lattice), want = b.to_sites(lattice);
  double sums[2] = {0, 0};
  for (std::size_t k = 0; k < have.size(); ++k) {
    sums[0] += (want[k] - have[k]) * (want[k] - have[k]);
    sums[1] += want[k] * want[k];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, lattice.world().comm());
  return std::sqrt(sums[0] / sums[1]);
}

// chroma's regression test of the free propagator: sum over space, spin and colour of |S|^2, by t. Theirs stopped at a
// residual of 1e-8 or so, which leaves 2e-7 in the later slices.
TEST(Solver, GivesWhatChromaPublished) {
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 4, 8});
  const Gauge gauge(lattice);
  const Action action{.kappa = 0.1, .phase = {0.2, 0.4, 0, 0}, .norm = Norm::mass};
  Solver solver(gauge, action, {.tolerance = 1e-12});
  std::vector<double> pion(8);
  for (int component = 0; component < 12; ++component) {
    SpinorField x(lattice, "x");
    const SolveReport report = solver.solve(x, point(lattice, component));
    ASSERT_TRUE(report.converged) << report.why;
    const std::vector<double> column = by_time(lattice, x);
    for (std::size_t t = 0; t < 8; ++t) pion[t] += column[t];
  }
  const double published[] = {.550448091581, .0187776788581, .00191303571096, .000304754974461,
                              .000111618742146};
  for (std::size_t t = 0; t < 5; ++t) EXPECT_NEAR(pion[t] / published[t], 1, 3e-7) << "t = " << t;
}

struct Way {
  Method method;
  Precision inner;
  int links, sums;
};
const char* const kMethods[] = {"bicgstab", "cg"};

class Ways : public testing::TestWithParam<Way> {};

TEST_P(Ways, EndAtTheSameSolution) {
  const Way way = GetParam();
  const auto world = exact_world();
  for (const Extents& extents : {Extents{4, 4, 4, 8}, Extents{6, 4, 8, 2}}) {
    const Lattice lattice(*world, extents);
    Gauge gauge(lattice);
    set_weak(gauge, 0.5, 77);
    const Action action{.kappa = 0.13, .phase = {0, 0, 0, 1}};
    const SpinorField b = noise(lattice);
    SpinorField reference(lattice, "reference"), x(lattice, "x");
    Solver exact(gauge, action, {.tolerance = 1e-13});
    ASSERT_TRUE(exact.solve(reference, b).converged);
    SolveOptions options{
        .method = way.method, .inner = way.inner, .links = way.links, .tolerance = 1e-11, .sums = way.sums};
    Solver solver(gauge, action, options);
    const SolveReport report = solver.solve(x, b);
    EXPECT_TRUE(report.converged) << report.why;
    EXPECT_LT(report.residual, 1e-11);
    EXPECT_NEAR(report.residual, residual_of(exact, lattice, x, b), 1e-13);
    EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations));
    // A GPU goes on until the host looks, when a search in 16 bits may have come to its end and begins anew.
    if (way.inner != Precision::half || !world->part<Device>().cuda()) {
      EXPECT_EQ(report.restarts, 0);
    }
    if (way.inner != Precision::double_) {
      EXPECT_GT(report.updates, 1);
    }
    const std::vector<double> have = x.to_sites(lattice), want = reference.to_sites(lattice);
    double most = 0;
    for (std::size_t k = 0; k < have.size(); ++k) most = std::max(most, std::abs(have[k] - want[k]));
    EXPECT_LT(most, 1e-8);
    // From the solution there is nothing left to do.
    const SolveReport again = solver.solve(x, b);
    EXPECT_TRUE(again.converged);
    EXPECT_EQ(again.iterations, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Solver, Ways,
                         testing::Values(Way{Method::bicgstab, Precision::double_, 18, 2},
                                         Way{Method::bicgstab, Precision::double_, 12, 3},
                                         Way{Method::bicgstab, Precision::single, 12, 2},
                                         Way{Method::bicgstab, Precision::single, 8, 3},
                                         Way{Method::bicgstab, Precision::half, 12, 2},
                                         Way{Method::bicgstab, Precision::half, 18, 3},
                                         Way{Method::cg, Precision::double_, 18, 2},
                                         Way{Method::cg, Precision::single, 12, 2},
                                         Way{Method::cg, Precision::half, 12, 2}),
                         [](const auto& info) {
                           const Way& way = info.param;
                           return std::string(kMethods[static_cast<int>(way.method)]) + "_" +
                                  to_string(way.inner) + std::to_string(way.links) + "_" +
                                  std::to_string(way.sums);
                         });

// Columns that are solved together: those that are done sooner wait, and none is touched by what stands beside it.
TEST_P(Ways, GiveAColumnTheSameBitsInAnyCompany) {
  const Way way = GetParam();
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 6, 8});
  Gauge gauge(lattice);
  set_weak(gauge, 0.5, 78);
  const Action action{.kappa = 0.13, .phase = {0, 0, 0, 1}, .norm = Norm::mass};
  SolveOptions options{
      .method = way.method, .inner = way.inner, .links = way.links, .tolerance = 1e-9, .sums = way.sums};
  // Noise, nothing, points; one begins at its solution, and one near it.
  std::vector<SpinorField> sources{noise(lattice), SpinorField(lattice, "nothing"), point(lattice, 3),
                                   noise(lattice), point(lattice, 8)};
  std::vector<SpinorField> guesses;
  for (std::size_t k = 0; k < sources.size(); ++k) guesses.emplace_back(lattice, "guess");
  Solver alone(gauge, action, options);
  ASSERT_TRUE(alone.solve(guesses[3], sources[3]).converged);
  SolveOptions loose = options;
  loose.tolerance = 1e-3;
  ASSERT_TRUE(Solver(gauge, action, loose).solve(guesses[4], sources[4]).converged);
  std::vector<SolveReport> want;
  std::vector<std::vector<double>> solutions;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    SpinorField x(lattice, "x");
    x.from_sites(lattice, guesses[k].to_sites(lattice));
    want.push_back(alone.solve(x, sources[k]));
    solutions.push_back(x.to_sites(lattice));
  }
  EXPECT_EQ(want[3].iterations, 0);
  EXPECT_LT(want[4].iterations, want[0].iterations); // some wait for others
  options.columns = 6;
  Solver together(gauge, action, options);
  for (std::size_t k = 0; k < sources.size(); ++k) together.put(static_cast<int>(k), sources[k], guesses[k]);
  const std::vector<SolveReport> got = together.solve();
  SpinorField x(lattice, "x");
  for (std::size_t k = 0; k < sources.size(); ++k) {
    SCOPED_TRACE("column " + std::to_string(k));
    together.get(static_cast<int>(k), x);
    const std::vector<double> have = x.to_sites(lattice);
    EXPECT_EQ(std::memcmp(have.data(), solutions[k].data(), have.size() * sizeof(double)), 0);
    EXPECT_EQ(got[k].converged, want[k].converged);
    EXPECT_EQ(got[k].iterations, want[k].iterations);
    EXPECT_EQ(got[k].updates, want[k].updates);
    EXPECT_EQ(got[k].residual, want[k].residual);
    EXPECT_EQ(got[k].history, want[k].history);
  }
}

TEST(Solver, LeavesAColumnThatHasNoSolutionBehind) {
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 4, 4});
  const Gauge gauge(lattice); // with a constant zero mode, which a source of momentum has no part in
  SpinorField wave(lattice, "wave");
  std::vector<double> sites;
  const Box owned = lattice.owned();
  for (long t = owned.lo[3]; t < owned.hi[3]; ++t)
    for (long rest = 0; rest < owned.cells() / owned.extent(3); ++rest)
      for (int k = 0; k < 24; ++k) sites.push_back(k == 0 ? (t % 2 == 0 ? 1.0 : -1.0) : 0.0);
  wave.from_sites(lattice, sites);
  Solver solver(gauge, {.kappa = 0.125}, {.most_iterations = 500, .columns = 2});
  solver.put(0, point(lattice, 0));
  solver.put(1, wave);
  const std::vector<SolveReport> reports = solver.solve();
  EXPECT_FALSE(reports[0].converged);
  EXPECT_FALSE(reports[0].why.empty());
  EXPECT_TRUE(reports[1].converged) << reports[1].why;
  SpinorField x(lattice, "x");
  solver.get(1, x);
  EXPECT_TRUE(std::isfinite(length(lattice, x)));
}

// x = b + kappa H b + kappa^2 H^2 b + ..
TEST(Solver, FollowsTheExpansionInKappa) {
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 4, 4});
  Gauge gauge(lattice);
  set_random(gauge, 5);
  const double kappa = 1e-3;
  Solver solver(gauge, {.kappa = kappa}, {.tolerance = 1e-14});
  const SpinorField b = noise(lattice);
  SpinorField x(lattice, "x"), m(lattice, "m");
  ASSERT_TRUE(solver.solve(x, b).converged);
  const std::vector<double> first = b.to_sites(lattice);
  std::vector<double> term = first, sum = first;
  SpinorField in(lattice, "in");
  for (int order = 1; order <= 3; ++order) { // the next term: (1 - M) of the last
    in.from_sites(lattice, term);
    solver.apply(m, in);
    const std::vector<double> applied = m.to_sites(lattice);
    for (std::size_t k = 0; k < term.size(); ++k) {
      term[k] -= applied[k];
      sum[k] += term[k];
    }
  }
  const std::vector<double> have = x.to_sites(lattice);
  double most = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) most = std::max(most, std::abs(have[k] - sum[k]));
  EXPECT_LT(most, 1e-8);
  EXPECT_GT(most, 1e-13); // the fourth order is there
}

TEST(Solver, CannotSolveAZeroMode) {
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 4, 4});
  const Gauge gauge(lattice);
  for (const Method method : {Method::bicgstab, Method::cg}) {
    Solver solver(gauge, {.kappa = 0.125}, {.method = method, .most_iterations = 2000});
    SpinorField x(lattice, "x");
    const SolveReport report = solver.solve(x, point(lattice, 0));
    EXPECT_FALSE(report.converged);
    EXPECT_FALSE(report.why.empty());
    EXPECT_TRUE(std::isfinite(report.residual));
    EXPECT_LE(report.residual, 1.0);
    EXPECT_TRUE(std::isfinite(length(lattice, x)));
  }
}

TEST(Solver, SaysWhereItStopped) {
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 4, 8});
  Gauge gauge(lattice);
  set_weak(gauge, 0.5, 77);
  const SpinorField b = noise(lattice);
  SpinorField x(lattice, "x"), y(lattice, "y");
  const SolveReport few = Solver(gauge, {.kappa = 0.13}, {.most_iterations = 5}).solve(x, b);
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.iterations, 5);
  EXPECT_NE(few.why.find("5 iterations"), std::string::npos);
  EXPECT_LT(few.residual, 1.0); // the best so far is kept
  int looks = 0;
  const SolveReport stopped =
      Solver(gauge, {.kappa = 0.13},
             {.look = [&](int, int iteration, double) { return ++looks, iteration >= 3; }})
          .solve(y, b);
  EXPECT_EQ(stopped.why, "it was stopped");
  EXPECT_EQ(looks, 3);
}

TEST(Solver, TakesNoSourceOfNothingOrNaN) {
  const auto world = exact_world();
  const Lattice lattice(*world, {4, 4, 4, 4});
  const Gauge gauge(lattice);
  Solver solver(gauge, {.kappa = 0.1}, {});
  SpinorField x = noise(lattice);
  const SpinorField zero(lattice, "zero");
  const SolveReport report = solver.solve(x, zero);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(length(lattice, x), 0);
  SpinorField b = noise(lattice);
  std::vector<double> sites = b.to_sites(lattice);
  sites[0] = std::nan("");
  b.from_sites(lattice, sites);
  EXPECT_THROW(solver.solve(x, b), Error);
}

} // namespace
} // namespace tasuki::wilson

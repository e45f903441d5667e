// tasuki-laplace's library against a serial loop, bit for bit.
#include <apps/laplace/laplace.hpp>
#include <tasuki/job/checksum.hpp>
#include <tests/apps/predicted.hpp>
#include <tests/apps/variants.hpp>

#include <set>

namespace tasuki {
namespace {

using laplace::Boundary;
using laplace::Laplace;
using laplace::Problem;

template <class T>
std::vector<T> first_values(const Problem& p) {
  const long nx = p.nx, rows = p.rows();
  std::vector<T> u(static_cast<std::size_t>(nx * rows));
  for (long y = 0; y < rows; ++y)
    for (long x = 0; x < nx; ++x) {
      T value = 0;
      const bool side = x == 0 || x == nx - 1;
      if (p.boundary == Boundary::hot_top && y == rows - 1) value = 1;
      if (p.boundary == Boundary::linear && (side || y == 0 || y == rows - 1)) value = T(x) / T(nx - 1);
      if (p.boundary == Boundary::nvidia && side)
        value = T(std::sin(2.0 * T(M_PI) * double(y + 1) / double(p.ny - 1)));
      u[static_cast<std::size_t>(y * nx + x)] = value;
    }
  return u;
}

// The square of the last step's change.
template <class T>
double relax(std::vector<T>& u, const Problem& p, int steps) {
  const long nx = p.nx, rows = p.rows();
  std::vector<T> v = u;
  double change = 0;
  for (int n = 0; n < steps; ++n) {
    change = 0;
    for (long y = p.periodic_y() ? 0 : 1; y < (p.periodic_y() ? rows : rows - 1); ++y) {
      const T* row = &u[static_cast<std::size_t>(y * nx)];
      const T* up = &u[static_cast<std::size_t>((y + 1) % rows * nx)];
      const T* down = &u[static_cast<std::size_t>((y + rows - 1) % rows * nx)];
      for (long x = 1; x < nx - 1; ++x) {
        const T next = T(0.25) * (row[x + 1] + row[x - 1] + up[x] + down[x]);
        v[static_cast<std::size_t>(y * nx + x)] = next;
        change += double(next - row[x]) * double(next - row[x]);
      }
    }
    std::swap(u, v);
  }
  return change;
}

template <class T>
void check(const Problem& p, int steps, long measure_every) {
  for (const test::Variant& variant : test::variants({p.nx, p.rows()})) {
    SCOPED_TRACE(variant.name());
    const auto world = variant.world();
    const Laplace<T> laplace(*world, p);
    std::vector<T> u = laplace.u.gather();
    test::expect_first_values(u, first_values<T>(p));
    run(program(laplace.step(measure_every)), {.times = steps});
    double change = world->rank() == 0 ? relax(u, p, steps) : 0;
    MPI_Bcast(&change, 1, MPI_DOUBLE, 0, world->comm());
    test::expect_same_bits(laplace.u.gather(), u);
    if (measure_every && steps % measure_every == 0) {
      EXPECT_NEAR(laplace.change.value(), change, 1e-12 * change);
    }
    EXPECT_NEAR(laplace.residual(), std::sqrt(change), 1e-12 * std::sqrt(change));
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

TEST(Laplace, HotTopInSinglePrecision) { check<float>({37, 29, Boundary::hot_top}, 25, 0); }
TEST(Laplace, HotTopInDoublePrecision) { check<double>({64, 17, Boundary::hot_top}, 24, 8); }
TEST(Laplace, LinearInSinglePrecision) { check<float>({16, 41, Boundary::linear}, 30, 7); }
TEST(Laplace, LinearInDoublePrecision) { check<double>({29, 23, Boundary::linear}, 21, 7); }
TEST(Laplace, NvidiaInSinglePrecision) { check<float>({33, 30, Boundary::nvidia}, 25, 1); }
TEST(Laplace, NvidiaInDoublePrecision) { check<double>({26, 35, Boundary::nvidia}, 26, 13); }

TEST(Laplace, LargeEnoughForEveryThreadAndLane) { check<float>({517, 131, Boundary::nvidia}, 15, 5); }

TEST(Laplace, FindsTheLinearSolution) {
  const Problem p{20, 24, Boundary::linear};
  const Laplace<double> laplace(test::world(), p);
  EXPECT_NEAR(laplace.distance(), 18.0 / 19.0, 1e-15); // of the zeros inside
  run(program(laplace.step()), {.times = 4000});
  EXPECT_LT(laplace.distance(), 1e-12);
}

// NVIDIA's samples hold ny rows of which two are halo: their interior is what this grid has.
TEST(Laplace, NvidiaHasTheirInterior) {
  const Problem p{10, 12, Boundary::nvidia};
  EXPECT_EQ(p.rows(), 10);
  EXPECT_EQ(p.cells(), 8 * 10);
  const Laplace<double> laplace(test::world(), p);
  const std::vector<double> u = laplace.u.gather();
  if (test::world().rank() != 0) return;
  const double theirs = std::sin(2.0 * M_PI * 3 / 11); // their row 3
  EXPECT_NEAR(u[2 * 10], theirs, 1e-15);
  EXPECT_NEAR(u[2 * 10 + 9], theirs, 1e-15);
  EXPECT_EQ(u[2 * 10 + 4], 0);
}

TEST(Checksum, IsTheSameOnEveryDecompositionAndTellsOneBit) {
  const Problem p{37, 29, Boundary::hot_top};
  std::set<std::uint64_t> sums;
  for (const test::Variant& variant : test::variants({p.nx, p.rows()})) {
    const auto world = variant.world();
    Laplace<float> laplace(*world, p);
    run(program(laplace.step()), {.times = 12});
    sums.insert(job::checksum(laplace.u));
  }
  EXPECT_EQ(sums.size(), 1u);

  Laplace<float> laplace(test::world(), p);
  run(program(laplace.step()), {.times = 12});
  std::vector<float> values = laplace.u.to_host();
  if (test::world().rank() == test::world().size() - 1) {
    std::uint32_t bits;
    std::memcpy(&bits, &values[values.size() / 2], sizeof bits);
    bits ^= 1;
    std::memcpy(&values[values.size() / 2], &bits, sizeof bits);
  }
  laplace.u.from_host(values);
  EXPECT_EQ(sums.count(job::checksum(laplace.u)), 0u);
  EXPECT_EQ(job::hex(0x0123456789abcdefULL), "0123456789abcdef");
}

TEST(Laplace, SendsWhatTheModelPredicts) {
  for (const Boundary boundary : {Boundary::hot_top, Boundary::nvidia})
    for (const test::Variant& variant : test::variants({37, 29})) {
      SCOPED_TRACE(variant.name());
      const auto world = variant.world();
      if (!test::sends_by_exchanges(*world)) continue;
      const Laplace<float> laplace(*world, {37, 31, boundary});
      test::expect_predicted(laplace.step(5), 30, 30);
    }
}

} // namespace
} // namespace tasuki

// tasuki-himeno's library against the benchmark's own two loops written out, bit for bit.
#include <apps/himeno/himeno.hpp>
#include <tests/apps/predicted.hpp>
#include <tests/apps/variants.hpp>

#include <set>

namespace tasuki {
namespace {

using himeno::Himeno;
using himeno::Problem;

// The benchmark with its arrays, its copy of wrk2 to p, and gosa in double precision.
struct ByHand {
  long imax, jmax, kmax;
  std::vector<float> a[4], b[3], c[3], p, wrk1, wrk2, bnd;
  double gosa = 0;

  std::size_t at(long i, long j, long k) const { return static_cast<std::size_t>((i * jmax + j) * kmax + k); }

  explicit ByHand(const Problem& size) : imax(size.imax), jmax(size.jmax), kmax(size.kmax) {
    const auto n = static_cast<std::size_t>(imax * jmax * kmax);
    for (auto* list : {&a[0], &a[1], &a[2], &c[0], &c[1], &c[2], &bnd}) list->assign(n, 1.0f);
    for (auto* list : {&b[0], &b[1], &b[2], &wrk1, &wrk2}) list->assign(n, 0.0f);
    a[3].assign(n, static_cast<float>(1.0 / 6.0));
    p.resize(n);
    for (long i = 0; i < imax; ++i)
      for (long j = 0; j < jmax; ++j)
        for (long k = 0; k < kmax; ++k) p[at(i, j, k)] = float(i * i) / float((imax - 1) * (imax - 1));
  }

  void jacobi(int times) {
    const float omega = 0.8f;
    for (int n = 0; n < times; ++n) {
      gosa = 0;
      for (long i = 1; i < imax - 1; ++i)
        for (long j = 1; j < jmax - 1; ++j)
          for (long k = 1; k < kmax - 1; ++k) {
            const std::size_t o = at(i, j, k);
            const float s0 = a[0][o] * p[at(i + 1, j, k)] + a[1][o] * p[at(i, j + 1, k)] +
                             a[2][o] * p[at(i, j, k + 1)] +
                             b[0][o] * (p[at(i + 1, j + 1, k)] - p[at(i + 1, j - 1, k)] -
                                        p[at(i - 1, j + 1, k)] + p[at(i - 1, j - 1, k)]) +
                             b[1][o] * (p[at(i, j + 1, k + 1)] - p[at(i, j - 1, k + 1)] -
                                        p[at(i, j + 1, k - 1)] + p[at(i, j - 1, k - 1)]) +
                             b[2][o] * (p[at(i + 1, j, k + 1)] - p[at(i - 1, j, k + 1)] -
                                        p[at(i + 1, j, k - 1)] + p[at(i - 1, j, k - 1)]) +
                             c[0][o] * p[at(i - 1, j, k)] + c[1][o] * p[at(i, j - 1, k)] +
                             c[2][o] * p[at(i, j, k - 1)] + wrk1[o];
            const float ss = (s0 * a[3][o] - p[o]) * bnd[o];
            gosa += ss * ss;
            wrk2[o] = p[o] + omega * ss;
          }
      for (long i = 1; i < imax - 1; ++i)
        for (long j = 1; j < jmax - 1; ++j)
          for (long k = 1; k < kmax - 1; ++k) p[at(i, j, k)] = wrk2[at(i, j, k)];
    }
  }
};

void check(const Problem& size, int times, long gosa_every) {
  ByHand theirs(size);
  for (const test::Variant& variant : test::variants({size.kmax, size.jmax, size.imax})) {
    SCOPED_TRACE(variant.name());
    const auto world = variant.world();
    const Himeno ours(*world, size);
    if (theirs.gosa == 0) {
      test::expect_same_bits(ours.p.gather(), theirs.p);
      theirs.jacobi(times);
    }
    run(program(ours.step(gosa_every)), {.times = times});
    test::expect_same_bits(ours.p.gather(), theirs.p);
    EXPECT_NEAR(ours.gosa.value(), theirs.gosa, 1e-12 * theirs.gosa);
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

TEST(Himeno, GosaEveryIteration) { check({13, 11, 17}, 12, 1); }
TEST(Himeno, GosaInTheLastIteration) { check({8, 16, 24}, 11, 11); }
TEST(Himeno, SizeXS) { check(Problem::of("XS"), 5, 5); }

// The b terms multiply zeros in the benchmark: here they get values, so that the edges of the halo matter.
struct Stir {
  TS_CELL void operator()(auto n, auto b, auto wrk1) const {
    const long x = n[0], y = n[1], z = n[2];
    for (int m = 0; m < 3; ++m) b[m](n) = static_cast<float>((3 * x + 5 * y + 7 * z + m) % 11) / 64.0f;
    wrk1(n) = static_cast<float>((x + 2 * y + 3 * z) % 5) / 128.0f;
  }
};

TEST(Himeno, WithMixedDerivatives) {
  const Problem size{12, 9, 14};
  ByHand theirs(size);
  for (long i = 0; i < size.imax; ++i)
    for (long j = 0; j < size.jmax; ++j)
      for (long k = 0; k < size.kmax; ++k) {
        for (int m = 0; m < 3; ++m)
          theirs.b[m][theirs.at(i, j, k)] = float((3 * k + 5 * j + 7 * i + m) % 11) / 64.0f;
        theirs.wrk1[theirs.at(i, j, k)] = float((k + 2 * j + 3 * i) % 5) / 128.0f;
      }
  theirs.jacobi(10);
  for (const test::Variant& variant : test::variants({size.kmax, size.jmax, size.imax})) {
    SCOPED_TRACE(variant.name());
    const auto world = variant.world();
    const Himeno ours(*world, size);
    run(sweep(Stir{}, ours.grid.all(), writes(ours.b), writes(ours.wrk1)));
    run(program(ours.step(10)), {.times = 10});
    test::expect_same_bits(ours.p.gather(), theirs.p);
    EXPECT_NEAR(ours.gosa.value(), theirs.gosa, 1e-12 * theirs.gosa);
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

TEST(Himeno, DeterministicGosaHasTheSameBits) {
  std::set<double> values;
  const Problem size{13, 11, 17};
  for (const test::Variant& variant : test::variants({size.kmax, size.jmax, size.imax})) {
    const auto world = test::world_with([&](Settings& s) {
      s.ranks = variant.ranks;
      s.executor = variant.executor;
      s.halo = variant.halo;
      s.sums = "exact";
    });
    const Himeno ours(*world, size);
    run(program(ours.step(1)), {.times = 7});
    values.insert(ours.gosa.value());
  }
  EXPECT_EQ(values.size(), 1u);
}

TEST(Himeno, SizesOfTheBenchmark) {
  const Problem xs = Problem::of("XS"), xl = Problem::of("XL");
  EXPECT_EQ(xs.imax, 32);
  EXPECT_EQ(xs.jmax, 32);
  EXPECT_EQ(xs.kmax, 64);
  EXPECT_EQ(xl.imax, 512);
  EXPECT_EQ(xl.kmax, 1024);
  EXPECT_EQ(Problem::of("M").flop(), 34.0 * 126 * 126 * 254);
}

TEST(Himeno, SendsWhatTheModelPredicts) {
  for (const test::Variant& variant : test::variants({24, 16, 16})) {
    SCOPED_TRACE(variant.name());
    const auto world = variant.world();
    if (!test::sends_by_exchanges(*world)) continue;
    const Himeno himeno(*world, {16, 16, 24});
    test::expect_predicted(himeno.step(3), 12, 12);
  }
}

} // namespace
} // namespace tasuki

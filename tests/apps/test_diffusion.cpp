// tasuki-diffusion's library against a serial loop, bit for bit, and against the decay of the mode.
#include <apps/diffusion/diffusion.hpp>
#include <tests/apps/predicted.hpp>
#include <tests/apps/variants.hpp>

namespace tasuki {
namespace {

using diffusion::Diffusion;
using diffusion::Problem;

template <class T>
class ByHand {
public:
  explicit ByHand(const Problem& p) : p_(p) {
    for (std::size_t a = 0; a < 3; ++a) n_[a] = p.extents[a];
  }

  std::vector<T> first_values() const {
    std::vector<T> u;
    for (long z = 0; z < n_[2]; ++z)
      for (long y = 0; y < n_[1]; ++y)
        for (long x = 0; x < n_[0]; ++x)
          u.push_back(T(std::cos(p_.wave_number(0) * double(x) + p_.wave_number(1) * double(y) +
                                 p_.wave_number(2) * double(z))));
    return u;
  }

  std::vector<T> step(const std::vector<T>& u) const {
    std::vector<T> v(u.size());
    const auto at = [&](long x, long y, long z) {
      return u[static_cast<std::size_t>(((z + n_[2]) % n_[2] * n_[1] + (y + n_[1]) % n_[1]) * n_[0] +
                                        (x + n_[0]) % n_[0])];
    };
    std::size_t cell = 0;
    for (long z = 0; z < n_[2]; ++z)
      for (long y = 0; y < n_[1]; ++y)
        for (long x = 0; x < n_[0]; ++x) {
          const T here = at(x, y, z);
          const auto cross = [&](long k) {
            return at(x + 1, y, k) + at(x - 1, y, k) + at(x, y + 1, k) + at(x, y - 1, k);
          };
          const auto four = [&](long k) {
            return at(x + 1, y + 1, k) + at(x - 1, y + 1, k) + at(x + 1, y - 1, k) + at(x - 1, y - 1, k);
          };
          const T faces = cross(z) + at(x, y, z + 1) + at(x, y, z - 1);
          if (p_.points == 7) {
            v[cell++] = here + T(p_.r) * (faces - 6 * here);
          } else {
            const T edges = four(z) + cross(z + 1) + cross(z - 1), corners = four(z + 1) + four(z - 1);
            v[cell++] = here + (T(p_.r * (-128.0 / 30)) * here + T(p_.r * (14.0 / 30)) * faces +
                                T(p_.r * (3.0 / 30)) * edges + T(p_.r * (1.0 / 30)) * corners);
          }
        }
    return v;
  }

private:
  Problem p_;
  long n_[3];
};

template <class T>
void check(const Problem& p, int steps) {
  const ByHand<T> by_hand(p);
  std::vector<T> want;
  for (const test::Variant& variant : test::variants({p.extents[0], p.extents[1], p.extents[2]})) {
    SCOPED_TRACE(variant.name());
    const auto world = variant.world();
    const Diffusion<T> ours(*world, p);
    const std::vector<T> first = ours.u.gather();
    if (want.empty() && world->rank() == 0) {
      const std::vector<T> expected = by_hand.first_values();
      double away = 0;
      for (std::size_t c = 0; c < expected.size(); ++c)
        away = std::max(away, std::abs(double(first[c]) - double(expected[c])));
      EXPECT_LT(away, sizeof(T) == 4 ? 1e-6 : 1e-14);
      want = first;
      for (int n = 0; n < steps; ++n) want = by_hand.step(want);
    }
    run(program(ours.step()), {.times = steps});
    test::expect_same_bits(ours.u.gather(), want);
    const diffusion::Errors errors = ours.errors(steps);
    EXPECT_LT(errors.discrete, sizeof(T) == 4 ? 1e-6 : 1e-14);
    EXPECT_LT(errors.continuous, 0.1);
    EXPECT_GT(errors.continuous, errors.discrete);
    if (test::any_rank(testing::Test::HasFailure())) return;
  }
}

TEST(Diffusion, SevenPointsInSinglePrecision) { check<float>({{13, 11, 17}, 7, 0.1, {1, 2, 1}}, 12); }
TEST(Diffusion, SevenPointsInDoublePrecision) { check<double>({{16, 9, 12}, 7, 0.15, {2, 1, 0}}, 13); }
TEST(Diffusion, TwentySevenPointsInSinglePrecision) { check<float>({{9, 16, 10}, 27, 0.2, {1, 1, 1}}, 11); }
TEST(Diffusion, TwentySevenPointsInDoublePrecision) { check<double>({{14, 10, 11}, 27, 0.1, {1, 0, 2}}, 12); }

// What the discrete operator does to a mode of wave number k along a direction, less what the Laplacian does,
// by k^4.
double leading_error(const Problem& p, double x, double y, double z) {
  const double k = 0.05;
  return ((p.factor({k * x, k * y, k * z}) - 1) / p.r + k * k) / (k * k * k * k);
}

TEST(Diffusion, StencilsAreSecondOrder) {
  Problem p;
  for (const int points : {7, 27}) {
    p.points = points;
    EXPECT_NEAR(leading_error(p, 1, 0, 0), 1.0 / 12, 1e-3) << points;
  }
}

TEST(Diffusion, TwentySevenPointsErrTheSameInAllDirections) {
  Problem p;
  p.points = 27;
  const double s = std::sqrt(0.5), t = std::sqrt(1.0 / 3);
  EXPECT_NEAR(leading_error(p, s, s, 0), 1.0 / 12, 1e-3);
  EXPECT_NEAR(leading_error(p, t, t, t), 1.0 / 12, 1e-3);
  p.points = 7;
  EXPECT_NEAR(leading_error(p, t, t, t), 1.0 / 36, 1e-3); // which seven do not
}

TEST(Diffusion, RefusesAnUnstableStep) {
  Problem p;
  p.r = 1.0 / 6;
  EXPECT_NO_THROW(p.check_stable());
  p.r = 0.17;
  EXPECT_THROW(p.check_stable(), Error);
  p.points = 27;
  EXPECT_NO_THROW(p.check_stable());
  p.r = 0.33;
  EXPECT_THROW(p.check_stable(), Error);
}

// With halos that are the neighbours' cells: flags, and what goes round the ends.
TEST(Diffusion, SendsWhatTheModelPredictsWhereNothingIsCopied) {
  const auto world = test::world_with([](Settings& s) {
    s.halo = kDirectHalo;
    s.executor = "eager";
    s.channel = "";
    s.subclusters = 1;
    s.ranks.clear();
  });
  for (const int points : {7, 27}) {
    Problem problem;
    problem.extents = {12, 14, 16};
    problem.points = points;
    const Diffusion<double> diffusion(*world, problem);
    test::expect_predicted(diffusion.step(), 12, 12);
  }
}

TEST(Diffusion, SendsWhatTheModelPredicts) {
  for (const int points : {7, 27})
    for (const test::Variant& variant : test::variants({12, 14, 16})) {
      SCOPED_TRACE(variant.name());
      const auto world = variant.world();
      if (!test::sends_by_exchanges(*world)) continue;
      Problem problem;
      problem.extents = {12, 14, 16};
      problem.points = points;
      const Diffusion<double> diffusion(*world, problem);
      test::expect_predicted(diffusion.step(), 12, 12);
    }
}

} // namespace
} // namespace tasuki

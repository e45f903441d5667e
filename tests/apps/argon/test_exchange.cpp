// Decisions of exchanges: their bookkeeping, and systems whose answer is known.
#include <apps/argon/exchange/exchange.hpp>
#include <tasuki/base/error.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki::argon {
namespace {

using test::pick;
using test::Random;

double unit(Random& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

void expect_permutation(const Exchange& exchange) {
  for (int r = 0; r < exchange.replicas(); ++r) EXPECT_EQ(exchange.replica_in(exchange.state_of(r)), r);
}

// Any stretch of replicas, as a rank has one, begins with states that are spread over the whole ladder.
TEST(Exchange, ReplicasAreDealtOutEvenly) {
  for (const int states : {1, 2, 3, 4, 5, 8, 16, 31, 100, 1056, 14336}) {
    const Exchange exchange(Ladder(geometric(80, 160, states)), Mixing::neighbours, 7, 0, true);
    expect_permutation(exchange);
    for (const int ranks : {2, 4, 8}) {
      const int share = states / ranks;
      if (share < 8) continue;
      for (int rank = 0; rank < ranks; ++rank) {
        double mean = 0;
        for (int r = rank * share; r < (rank + 1) * share; ++r) mean += exchange.state_of(r) + 0.5;
        EXPECT_NEAR(mean / share / states, 0.5, 1.5 / share) << states << " states, " << ranks << " ranks";
      }
    }
  }
}

TEST(Exchange, ExponentialIsThatOfTheLibrary) {
  Random random = test::random(1);
  for (int k = 0; k < 20000; ++k) {
    const double x = -700 * std::pow(unit(random), 3);
    EXPECT_NEAR(same_exp(x) / std::exp(x), 1, 2e-15) << x;
  }
  EXPECT_EQ(same_exp(0), 1);
  EXPECT_EQ(same_exp(-1e6), 0);
  EXPECT_EQ(same_exp(-INFINITY), 0);
}

// One decision against the formula: hotter and lower in energy than its colder neighbour is taken for sure.
TEST(Exchange, NeighboursTakeTurns) {
  const Ladder ladder(geometric(80, 160, 6));
  Exchange exchange(ladder, Mixing::neighbours, 7);
  const std::vector<double> falling{0, -1, -2, -3, -4, -5}; // the hotter, the lower: every pair swaps
  exchange.decide(0, falling, {});
  EXPECT_EQ(exchange.now().state, (std::vector<int>{1, 0, 3, 2, 5, 4}));
  exchange.decide(1, {-1, 0, -3, -2, -5, -4}, {}); // by replica: states 1-2 and 3-4 swap
  EXPECT_EQ(exchange.now().state, (std::vector<int>{2, 0, 4, 1, 5, 3}));
  expect_permutation(exchange);
  EXPECT_EQ(exchange.now().trials, 5);
  EXPECT_EQ(exchange.now().accepted, 5);
  for (const Tally& tally : exchange.now().tallies) EXPECT_EQ(tally.attempted, 1);
  exchange.decide(2, {-1e9, 1e9, -1e9, 1e9, -1e9, 1e9},
                  {}); // states 0: replica 1, 1: replica 3, 2: replica 0 ..
  expect_permutation(exchange);
}

TEST(Exchange, ExponentIsTheFormula) {
  Random random = test::random(2);
  const Ladder ladder({90, 100, 115}, {10, 400});
  Exchange exchange(ladder, Mixing::neighbours, 3);
  std::vector<double> u, v;
  for (int r = 0; r < 6; ++r) {
    u.push_back(-500 + 30 * unit(random));
    v.push_back(10 + unit(random));
  }
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      // Weights of the two ways to hold the states: exp(-beta (U + p V)) each.
      const auto weight = [&](int state, int replica) {
        return -ladder.beta(state) * (u[replica] + ladder.pressure(state) * 0.0602214076 * v[replica]);
      };
      const double want = weight(a, b) + weight(b, a) - weight(a, a) - weight(b, b);
      EXPECT_NEAR(exchange.exponent(a, b, u, v), want, 1e-9);
    }
}

TEST(Exchange, TemperatureAndPressureTakeTurns) {
  const Ladder ladder({90, 100, 115}, {10, 400});
  Exchange exchange(ladder, Mixing::neighbours, 3);
  const std::vector<double> u(6, 0.0), v(6, 10.0); // exponents of 0: all that try, swap
  std::vector<std::vector<int>> tried;
  for (long attempt = 0; attempt < 4; ++attempt) {
    const auto before = exchange.now().tallies;
    exchange.decide(attempt, u, v);
    auto& pairs = tried.emplace_back();
    for (std::size_t k = 0; k < before.size(); ++k)
      if (exchange.now().tallies[k].attempted > before[k].attempted)
        pairs.push_back(exchange.pairs()[k].low * 10 + exchange.pairs()[k].high);
    expect_permutation(exchange);
  }
  EXPECT_EQ(tried[0], (std::vector<int>{2, 13}));     // temperatures 0 and 1, at each pressure
  EXPECT_EQ(tried[1], (std::vector<int>{1, 23, 45})); // pressures 0 and 1
  EXPECT_EQ(tried[2], (std::vector<int>{24, 35}));    // temperatures 1 and 2
  EXPECT_EQ(tried[3], (std::vector<int>{}));          // there is no third pressure
}

// Many levels with a degeneracy each, and exact answers. Only the hottest replica moves between levels at all: what the
// colder ones have comes through exchanges alone, so wrong decisions show as wrong populations.
void expect_boltzmann(Mixing mixing, std::uint64_t seed) {
  const std::vector<double> energy{0, 1.1}, degeneracy{1, 3}; // kJ/mol
  const Ladder ladder({70, 100, 140, 200});
  Exchange exchange(ladder, mixing, seed, 5);
  Random random = test::random(seed);
  std::vector<double> u(4, 0.0);
  const auto upper = [&](double beta) {
    const double w = degeneracy[1] * std::exp(-beta * energy[1]);
    return w / (1 + w);
  };
  constexpr int kBlocks = 60, kLength = 4000;
  std::vector<std::vector<double>> share(4); // by state, a number a block
  for (int block = 0; block < kBlocks; ++block) {
    std::vector<double> count(4, 0.0);
    for (int k = 0; k < kLength; ++k) {
      const int hot = exchange.replica_in(3);
      u[hot] = unit(random) < upper(ladder.beta(3)) ? energy[1] : energy[0];
      exchange.decide(static_cast<long>(block) * kLength + k, u, {});
      for (int s = 0; s < 4; ++s) count[s] += u[exchange.replica_in(s)] > 0;
    }
    for (int s = 0; s < 4; ++s) share[s].push_back(count[s] / kLength);
  }
  for (int s = 0; s < 4; ++s) {
    double mean = 0, square = 0;
    for (const double x : share[s]) mean += x / kBlocks;
    for (const double x : share[s]) square += (x - mean) * (x - mean);
    const double error = std::sqrt(square / (kBlocks - 1) / kBlocks);
    EXPECT_NEAR(mean, upper(ladder.beta(s)), 6 * error) << "state " << s << ", error " << error;
    EXPECT_LT(error, 0.01);
  }
}

TEST(Exchange, ColdReplicasComeToEquilibriumThroughNeighbours) {
  expect_boltzmann(Mixing::neighbours, test::seed() | 1);
}
TEST(Exchange, AndThroughGibbsMixing) { expect_boltzmann(Mixing::gibbs, test::seed() ^ 0x55); }

// Independent draws of two levels at both temperatures: acceptance and its tallied probability have an exact value.
TEST(Exchange, AcceptanceIsThatOfTwoLevels) {
  const double e = 1.3;
  const Ladder ladder({80, 120});
  const double b0 = ladder.beta(0), b1 = ladder.beta(1);
  const double p0 = std::exp(-b0 * e) / (1 + std::exp(-b0 * e)),
               p1 = std::exp(-b1 * e) / (1 + std::exp(-b1 * e));
  // Refused at times only where the cold one is low and the hot one high.
  const double want = 1 - (1 - p0) * p1 * (1 - std::exp((b0 - b1) * (0 - e)));
  Exchange exchange(ladder, Mixing::neighbours, test::seed());
  Random random = test::random(9);
  constexpr long kTrials = 200000;
  for (long k = 0; k < kTrials; ++k) {
    std::vector<double> u(2);
    u[exchange.replica_in(0)] = unit(random) < p0 ? e : 0;
    u[exchange.replica_in(1)] = unit(random) < p1 ? e : 0;
    exchange.decide(2 * k, u, {}); // even attempts: the pair's turn
  }
  const Tally& tally = exchange.now().tallies[0];
  EXPECT_EQ(tally.attempted, kTrials);
  const double error = std::sqrt(want * (1 - want) / kTrials);
  EXPECT_NEAR(static_cast<double>(tally.accepted) / kTrials, want, 6 * error);
  EXPECT_NEAR(tally.probability / kTrials, want, 6 * error);
}

TEST(Exchange, IsTheSameWhoeverDecides) {
  const Ladder ladder(geometric(50, 250, 64));
  Exchange one(ladder, Mixing::neighbours, 11), other(ladder, Mixing::neighbours, 11);
  Random random = test::random(4);
  std::vector<double> u(64);
  for (long k = 0; k < 200; ++k) {
    for (double& x : u) x = -300 + 10 * unit(random);
    one.decide(k, u, {});
    if (k == 100) { // a copy that goes on from where the first stood
      Exchange again(ladder, Mixing::neighbours, 11);
      again.restore(other.now());
      other = again;
    }
    other.decide(k, u, {});
    ASSERT_EQ(one.now().state, other.now().state);
  }
  EXPECT_EQ(one.now().accepted, other.now().accepted);
  EXPECT_GT(one.now().accepted, 0);
}

TEST(Exchange, ALostReplicaKeepsItsState) {
  const Ladder ladder(geometric(50, 250, 5));
  for (const Mixing mixing : {Mixing::neighbours, Mixing::gibbs}) {
    Exchange exchange(ladder, mixing, 5);
    exchange.lose(2);
    std::vector<double> u(5, 1.0);
    u[2] = NAN;
    for (long k = 0; k < 50; ++k) {
      exchange.decide(k, u, {});
      ASSERT_EQ(exchange.state_of(2), 2);
      expect_permutation(exchange);
    }
    EXPECT_GT(exchange.now().accepted, 0);
  }
}

TEST(Exchange, RefusesStatesThatAreNone) {
  const Ladder ladder(geometric(50, 250, 3));
  Exchange exchange(ladder, Mixing::neighbours, 5);
  ExchangeState state = exchange.now();
  state.state = {0, 0, 2};
  EXPECT_THROW(exchange.restore(state), Error);
  state.state = {0, 1};
  EXPECT_THROW(exchange.restore(state), Error);
  state.state = {2, 0, 1};
  EXPECT_NO_THROW(exchange.restore(state));
  EXPECT_EQ(exchange.replica_in(2), 0);
}

} // namespace
} // namespace tasuki::argon

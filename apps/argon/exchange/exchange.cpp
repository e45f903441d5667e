#include <apps/argon/exchange/exchange.hpp>

#include <apps/argon/exchange/dealt.hpp>
#include <apps/argon/physics/philox.hpp>
#include <tasuki/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tasuki::argon {
namespace {

// Two random numbers of a trial with 53 bits, 0 < u <= 1.
struct Uniform {
  double first, second;
};

Uniform draw(std::uint64_t seed, long attempt, std::size_t trial) {
  const auto low = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  const auto of_attempt = static_cast<std::uint64_t>(attempt);
  const Words bits = philox({{low(trial), 0xffffffffu, low(of_attempt),
                              low(of_attempt >> 32 & 0xffff) << 16 | low(trial >> 32 & 0xffff)}},
                            seed);
  return {unit_double(bits.w[0], bits.w[1]), unit_double(bits.w[2], bits.w[3])};
}

// The index in 0 .. count - 1 that u selects.
int place(double u, int count) { return std::min(count - 1, static_cast<int>(u * count)); }

constexpr std::size_t kChoices = std::size_t(1) << 40; // trial numbers of pair choices in Gibbs mixing

} // namespace

double same_exp(double x) {
  if (!(x > -700)) return 0;
  constexpr double kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33; // ln 2 in two parts
  const double n = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - n * kHigh) - n * kLow; // |r| <= ln 2 / 2
  constexpr double kInverse[] = {1,
                                 1,
                                 1.0 / 2,
                                 1.0 / 6,
                                 1.0 / 24,
                                 1.0 / 120,
                                 1.0 / 720,
                                 1.0 / 5040,
                                 1.0 / 40320,
                                 1.0 / 362880,
                                 1.0 / 3628800,
                                 1.0 / 39916800,
                                 1.0 / 479001600,
                                 1.0 / 6227020800,
                                 1.0 / 87178291200}; // of factorials
  double sum = kInverse[14];
  for (int k = 13; k >= 0; --k) sum = sum * r + kInverse[k];
  return std::ldexp(sum, static_cast<int>(n));
}

Exchange::Exchange(Ladder ladder, Mixing mixing, std::uint64_t seed, long gibbs_trials, bool dealt)
    : ladder_(std::move(ladder)), mixing_(mixing), seed_(seed), gibbs_trials_(gibbs_trials) {
  const int states = ladder_.states(), width = ladder_.width();
  if (gibbs_trials_ <= 0) gibbs_trials_ = std::min(static_cast<long>(states) * states, 8L * states);
  for (int s = 0; s + width < states; ++s) pairs_.push_back({s, s + width});
  for (int s = 0; s < states; ++s)
    if (s % width + 1 < width) pairs_.push_back({s, s + 1});
  for (int s = 0; s < states; ++s) {
    beta_.push_back(ladder_.beta(s));
    now_.state.push_back(dealt ? dealt_state(s, states) : s);
  }
  replica_in_.resize(static_cast<std::size_t>(states));
  for (int r = 0; r < states; ++r)
    replica_in_[static_cast<std::size_t>(now_.state[static_cast<std::size_t>(r)])] = r;
  now_.lost.resize(static_cast<std::size_t>(states), 0);
  now_.tallies.resize(pairs_.size());
}

double Exchange::exponent(int a, int b, const std::vector<double>& potential,
                          const std::vector<double>& volume) const {
  const auto ra = static_cast<std::size_t>(replica_in_[a]), rb = static_cast<std::size_t>(replica_in_[b]);
  double exponent = (beta_[a] - beta_[b]) * (potential[ra] - potential[rb]);
  if (!volume.empty())
    exponent += (beta_[a] * ladder_.pressure(a) - beta_[b] * ladder_.pressure(b)) * kBarNm3 *
                (volume[ra] - volume[rb]);
  return exponent;
}

Exchange::Outcome Exchange::attempt_pair(long attempt, std::size_t trial, int a, int b, Tally* tally,
                                         const std::vector<double>& potential,
                                         const std::vector<double>& volume) {
  const int ra = replica_in_[a], rb = replica_in_[b];
  if (lost(ra) || lost(rb)) return {};
  const double x = exponent(a, b, potential, volume);
  const double probability = x >= 0 ? 1 : same_exp(x);
  const bool accepted = x >= 0 || draw(seed_, attempt, trial).first < probability;
  if (tally) {
    ++tally->attempted;
    tally->accepted += accepted;
    tally->probability += probability;
  }
  if (accepted) {
    std::swap(replica_in_[a], replica_in_[b]);
    std::swap(now_.state[ra], now_.state[rb]);
  }
  return {1, accepted};
}

void Exchange::decide_gibbs(long attempt, const std::vector<double>& potential,
                            const std::vector<double>& volume) {
  const int states = ladder_.states(), width = ladder_.width();
  if (states < 2) return;
  const int temperature_pairs = states - width;
  for (long k = 0; k < gibbs_trials_; ++k) {
    const auto trial = static_cast<std::size_t>(k);
    const Uniform u = draw(seed_, attempt, kChoices + trial);
    int a = place(u.first, states), b = place(u.second, states - 1);
    if (b >= a) ++b;
    if (a > b) std::swap(a, b);
    Tally* tally = nullptr;
    if (b == a + width)
      tally = &now_.tallies[a];
    else if (width > 1 && b == a + 1 && a % width + 1 < width)
      tally = &now_.tallies[temperature_pairs + a / width * (width - 1) + a % width];
    const Outcome outcome = attempt_pair(attempt, trial, a, b, tally, potential, volume);
    now_.trials += outcome.tried;
    now_.accepted += outcome.accepted;
  }
}

void Exchange::decide(long attempt, const std::vector<double>& potential, const std::vector<double>& volume) {
  if (mixing_ == Mixing::gibbs) return decide_gibbs(attempt, potential, volume);
  const int width = ladder_.width();
  const bool both = width > 1 && ladder_.temperatures.size() > 1;
  const bool along_pressure = both ? attempt % 2 == 1 : width > 1;
  const long turn = (both ? attempt / 2 : attempt) % 2;
  const std::size_t temperature_pairs = static_cast<std::size_t>(ladder_.states() - width);
  const std::size_t from = along_pressure ? temperature_pairs : 0;
  const std::size_t to = along_pressure ? pairs_.size() : temperature_pairs;
  for (std::size_t k = from; k < to; ++k) {
    const StatePair pair = pairs_[k];
    if ((along_pressure ? pair.low % width : pair.low / width) % 2 != turn) continue;
    const Outcome outcome =
        attempt_pair(attempt, k, pair.low, pair.high, &now_.tallies[k], potential, volume);
    now_.trials += outcome.tried;
    now_.accepted += outcome.accepted;
  }
}

double Exchange::acceptance() const {
  return now_.trials ? static_cast<double>(now_.accepted) / static_cast<double>(now_.trials) : 0;
}

void Exchange::lose(long replica) { now_.lost[static_cast<std::size_t>(replica)] = 1; }

void Exchange::restore(ExchangeState state) {
  const auto states = static_cast<std::size_t>(ladder_.states());
  std::vector<int> holder(states, -1);
  bool whole =
      state.state.size() == states && state.lost.size() == states && state.tallies.size() == pairs_.size();
  for (std::size_t r = 0; whole && r < states; ++r) {
    const int s = state.state[r];
    whole = s >= 0 && s < ladder_.states() && holder[static_cast<std::size_t>(s)] < 0;
    if (whole) holder[static_cast<std::size_t>(s)] = static_cast<int>(r);
  }
  if (!whole)
    throw Error(fmt::format("the states of the checkpoint are not those of {} replicas", states),
                "use the checkpoint of this run");
  replica_in_ = std::move(holder);
  now_ = std::move(state);
}

} // namespace tasuki::argon

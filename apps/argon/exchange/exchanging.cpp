#include <apps/argon/exchange/exchanging.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tasuki::argon {
namespace {

// Whether a replica is still valid: its numbers are finite, and its kinetic energy is not hundreds of times that of the
// bath and the bonds, as it is after too long a time step. (Coordinates are fractions of the box, so always finite.)
bool is_whole(const Measured& m, const System& system, double bath_K) {
  const double scale = kBoltzmann * bath_K + system.substance().epsilon;
  return std::isfinite(m.potential) && std::isfinite(m.volume) &&
         m.kinetic < 150 * static_cast<double>(system.atoms()) * scale;
}

int gathered_values(const Replicas& replicas) {
  return 1 + static_cast<int>(replicas.owned()) * (replicas.system().constant_pressure() ? 2 : 1);
}

} // namespace

Exchanging::Exchanging(World& world, const Options& options, const System& system, const Ladder& ladder)
    : replicas(world, system, options.dynamics(), options.replicas),
      exchange(ladder, options.mixing_kind(), static_cast<std::uint64_t>(options.seed), options.gibbs_trials,
               true),
      held(exchange.now().state),
      options_(options),
      gather_(world, gathered_values(replicas)),
      tail_(of_root(world, system.constant_pressure() ? system.tail_energy(1) : 0.0)) {
  for (int s = 0; s < ladder.states(); ++s)
    states_.push_back({static_cast<float>(ladder.temperature(s)), static_cast<float>(ladder.pressure(s))});
  set_conditions();
}

void Exchanging::set_conditions() {
  const Ladder& ladder = exchange.ladder();
  conditions.clear();
  factors.clear();
  for (long r = replicas.first(); r < replicas.first() + replicas.owned(); ++r) {
    const int before = held[static_cast<std::size_t>(r)], now = exchange.state_of(r);
    conditions.push_back(states_[static_cast<std::size_t>(now)]);
    factors.push_back(
        before == now ? 1.0f
                      : static_cast<float>(std::sqrt(ladder.temperature(now) / ladder.temperature(before))));
  }
  replicas.set(conditions, factors);
}

void Exchanging::advance() {
  replicas.advance(interval * options_.exchange_every, static_cast<int>(options_.exchange_every));
}

void Exchanging::gather(int flag) {
  const bool breathes = replicas.system().constant_pressure();
  std::vector<double> values{static_cast<double>(flag)};
  for (std::size_t k = 0; k < mine.size(); ++k) {
    const double bath = conditions[k].temperature_K;
    values.push_back(is_whole(mine[k], replicas.system(), bath) ? mine[k].potential
                                                                : std::numeric_limits<double>::quiet_NaN());
  }
  if (breathes)
    for (const Measured& m : mine) values.push_back(m.volume);
  const std::vector<double>& all = gather_(values);
  potential.clear();
  volume.clear();
  flags = 0;
  for (std::size_t at = 0, rank = 0; at < all.size(); ++rank) {
    const auto count = static_cast<std::size_t>(gather_.count(static_cast<int>(rank)) - 1);
    const std::size_t owned = breathes ? count / 2 : count;
    flags |= static_cast<int>(all[at]);
    const auto from = all.begin() + static_cast<long>(at) + 1;
    potential.insert(potential.end(), from, from + static_cast<long>(owned));
    if (breathes)
      volume.insert(volume.end(), from + static_cast<long>(owned), from + static_cast<long>(count));
    at += count + 1;
  }
  total = potential;
  for (std::size_t r = 0; r < volume.size(); ++r) total[r] += tail_ / volume[r];
}

void Exchanging::decide() {
  held = exchange.now().state;
  exchange.decide(interval, total, volume);
  ++interval;
  set_conditions();
}

namespace {

// The mean energy of each state over the second half of a short run, including the pressure term.
std::vector<double> mean_energies(World& world, const Options& options, const System& system,
                                  const Ladder& ladder, long intervals) {
  Exchanging parts(world, options, system, ladder);
  parts.replicas.start(options.start_kind());
  std::vector<double> sum(static_cast<std::size_t>(ladder.states()));
  std::vector<long> count(sum.size());
  for (long k = 0; k < intervals; ++k) {
    parts.advance();
    parts.measure();
    parts.gather(world.interrupted() ? 1 : 0);
    if (parts.flags)
      throw Error("interrupted while the ladder was spaced", "begin the run again; it had not begun");
    for (std::size_t r = 0; k >= intervals / 2 && r < sum.size(); ++r) {
      const auto state = static_cast<std::size_t>(parts.exchange.state_of(static_cast<long>(r)));
      const double work =
          parts.volume.empty() ? 0 : ladder.pressure(static_cast<int>(state)) * kBarNm3 * parts.volume[r];
      if (!std::isfinite(parts.total[r])) continue;
      sum[state] += parts.total[r] + work;
      ++count[state];
    }
    parts.decide();
  }
  for (std::size_t s = 0; s < sum.size(); ++s) sum[s] /= static_cast<double>(std::max(1L, count[s]));
  return sum;
}

} // namespace

Ladder even_ladder(World& world, const Options& options, const System& system, const Ladder& ladder) {
  constexpr int kRounds = 2;
  const int rungs = static_cast<int>(ladder.temperatures.size()), width = ladder.width();
  const long intervals = std::clamp(options.intervals() / 20, 100L, 1000L);
  Ladder spaced = ladder;
  for (int round = 0; rungs > 2 && round < kRounds; ++round) {
    const std::vector<double> mean = mean_energies(world, options, system, spaced, intervals);
    std::vector<double> distances(static_cast<std::size_t>(rungs - 1));
    for (int i = 0; i + 1 < rungs; ++i)
      for (int p = 0; p < width; ++p) { // the mean over the pressures
        const int a = i * width + p, b = a + width;
        distances[static_cast<std::size_t>(i)] +=
            distance(spaced.beta(a), spaced.beta(b), mean[static_cast<std::size_t>(a)],
                     mean[static_cast<std::size_t>(b)]) /
            width;
      }
    spaced = Ladder(even(spaced.temperatures, distances), spaced.pressures);
  }
  return spaced;
}

} // namespace tasuki::argon

#include <tasuki/route/choice.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tasuki {
namespace {

using Parcels = std::vector<std::vector<Way>>;

constexpr long kSearched = 4096;  // the most combinations that are all compared
constexpr double kClearly = 1e-9; // relative; smaller differences count as equal

// The time at which all parcels have arrived, and the total time of all channels, which decides between equal arrival
// times. A parcel whose way is -1 does not count.
struct Score {
  double end = 0, work = 0;
  bool operator<(const Score& other) const {
    const double margin = kClearly * std::max(end, other.end);
    if (end < other.end - margin) return true;
    return end <= other.end + margin && work < other.work * (1 - kClearly);
  }
};

Score score(const Parcels& parcels, const std::vector<int>& ways, bool at_once) {
  std::map<int, double> channels;
  std::map<std::pair<int, int>, double> lanes; // the longest latency in each lane
  for (std::size_t p = 0; p < parcels.size(); ++p) {
    if (ways[p] < 0) continue;
    const Way& way = parcels[p][static_cast<std::size_t>(ways[p])];
    channels[way.channel] += way.transfer;
    double& latency = lanes[{way.channel, way.lane}];
    latency = std::max(latency, way.latency);
  }
  for (const auto& [lane, latency] : lanes) channels[lane.first] += latency;
  Score s;
  for (const auto& [channel, seconds] : channels) {
    s.work += seconds;
    s.end = std::max(s.end, seconds);
  }
  if (!at_once) s.end = s.work;
  return s;
}

std::vector<int> search_all(const Parcels& parcels, bool at_once) {
  std::vector<int> now(parcels.size(), 0), best = now;
  Score least = score(parcels, now, at_once);
  for (;;) {
    std::size_t p = 0;
    while (p < now.size() && ++now[p] == static_cast<int>(parcels[p].size())) now[p++] = 0;
    if (p == now.size()) return best;
    const Score s = score(parcels, now, at_once);
    if (!(s < least)) continue;
    least = s;
    best = now;
  }
}

std::vector<int> search_some(const Parcels& parcels, bool at_once) {
  std::vector<std::size_t> order(parcels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shortest = [&](std::size_t p) {
    double seconds = std::numeric_limits<double>::infinity();
    for (const Way& way : parcels[p]) seconds = std::min(seconds, way.latency + way.transfer);
    return seconds;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shortest(a) > shortest(b); });

  std::vector<int> ways(parcels.size(), -1);
  // Chooses the best way of one parcel while the others stay. True if the way changes.
  const auto place = [&](std::size_t p) {
    const int before = ways[p];
    int best = std::max(before, 0);
    ways[p] = best;
    Score least = score(parcels, ways, at_once);
    for (int k = 0; k < static_cast<int>(parcels[p].size()); ++k) {
      ways[p] = k;
      const Score s = score(parcels, ways, at_once);
      if (!(s < least)) continue;
      least = s;
      best = k;
    }
    ways[p] = best;
    return best != before;
  };
  for (const std::size_t p : order) place(p);
  for (int round = 0; round < 100; ++round) {
    bool better = false;
    for (const std::size_t p : order) better = place(p) || better;
    for (std::size_t p = 0; p < ways.size(); ++p) // exchange the ways of two parcels
      for (std::size_t q = 0; q < p; ++q) {
        const auto fits = [&](std::size_t at, int way) { return way < static_cast<int>(parcels[at].size()); };
        if (ways[p] == ways[q] || !fits(p, ways[q]) || !fits(q, ways[p])) continue;
        const Score before = score(parcels, ways, at_once);
        std::swap(ways[p], ways[q]);
        if (score(parcels, ways, at_once) < before)
          better = true;
        else
          std::swap(ways[p], ways[q]);
      }
    if (!better) break;
  }
  return ways;
}

} // namespace

Choice choose_ways(const Parcels& parcels, bool at_once) {
  long combinations = 1;
  for (const auto& ways : parcels)
    combinations = std::min(combinations * static_cast<long>(ways.size()), kSearched + 1);
  Choice choice;
  choice.ways = combinations <= kSearched ? search_all(parcels, at_once) : search_some(parcels, at_once);
  choice.seconds = score(parcels, choice.ways, at_once).end;
  return choice;
}

} // namespace tasuki

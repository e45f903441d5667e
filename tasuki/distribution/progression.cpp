#include <tasuki/distribution/progression.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tasuki {
namespace {

using Wide = __int128; // for products of steps

// Finds x and y with a x + b y = gcd(a, b); a and b are above 0.
long bezout(long a, long b, long& x, long& y) {
  if (b == 0) {
    x = 1;
    y = 0;
    return a;
  }
  long u = 0, v = 0;
  const long g = bezout(b, a % b, u, v);
  x = v;
  y = u - a / b * v;
  return g;
}

} // namespace

bool Progression::has(long index) const {
  const long way = index - first;
  return way % step == 0 && way / step >= 0 && way / step < count;
}

Progression until(long first, long bound, long step) {
  const long way = step > 0 ? bound - first : first - bound, by = std::labs(step);
  return {first, way > 0 ? (way - 1) / by + 1 : 0, step};
}

Progression reversed(const Progression& p) {
  return p.empty() ? Progression{} : Progression{p.last(), p.count, -p.step};
}

Progression ascending(const Progression& p) { return p.step < 0 ? reversed(p) : p; }

Progression intersect(const Progression& one, const Progression& other) {
  const Progression a = ascending(one), b = ascending(other);
  if (a.empty() || b.empty()) return {};
  const long from = std::max(a.first, b.first), to = std::min(a.last(), b.last());
  if (from > to) return {};
  long x = 0, y = 0;
  const long g = bezout(a.step, b.step, x, y), apart = b.first - a.first;
  if (apart % g != 0) return {};
  // a.first + a.step * k is an index of b if k is apart / g * x modulo b.step / g.
  const long every = b.step / g;
  const auto k = static_cast<long>(((static_cast<Wide>(apart / g) * x) % every + every) % every);
  const Wide step = static_cast<Wide>(a.step) * every;
  const Wide least = a.first + static_cast<Wide>(a.step) * k; // the common indices are `step` apart from it
  const Wide first = least >= from ? least : least + (from - least + step - 1) / step * step;
  if (first > to) return {};
  const auto count = static_cast<long>((to - first) / step + 1);
  return {static_cast<long>(first), count, count > 1 ? static_cast<long>(step) : 1};
}

std::vector<Progression> intersect(const std::vector<Progression>& a, const std::vector<Progression>& b) {
  // Both lists are sorted by their first index, so that only pairs whose ranges overlap are intersected.
  const auto ordered = [](std::vector<Progression> list) {
    for (Progression& p : list) p = ascending(p);
    std::sort(list.begin(), list.end(),
              [](const Progression& p, const Progression& q) { return p.first < q.first; });
    return list;
  };
  const std::vector<Progression> left = ordered(a), right = ordered(b);
  std::vector<long> reach(right.size()); // the greatest index of all progressions up to this one
  for (std::size_t i = 0; i < right.size(); ++i)
    reach[i] = std::max(i ? reach[i - 1] : right[i].first - 1,
                        right[i].empty() ? right[i].first - 1 : right[i].last());
  std::vector<Progression> both;
  for (const Progression& p : left) {
    if (p.empty()) continue;
    auto at = std::lower_bound(reach.begin(), reach.end(), p.first) - reach.begin();
    for (; at < static_cast<long>(right.size()) && right[at].first <= p.last(); ++at)
      if (const Progression common = intersect(p, right[at]); !common.empty()) both.push_back(common);
  }
  return both;
}

long number_in(const Progression& all, long index) { return (index - all.first) / all.step; }

Progression numbers_in(const Progression& all, const Progression& some) {
  if (some.empty()) return {};
  const Progression numbers{number_in(all, some.first), some.count,
                            some.count > 1 ? some.step / all.step : 1};
  return ascending(numbers);
}

} // namespace tasuki

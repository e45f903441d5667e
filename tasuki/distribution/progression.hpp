// A progression: indices in equal steps, such as a section of an axis, or a node's part of it.
//
//   const Progression odd{1, 5, 2};               // 1 3 5 7 9
//   intersect(odd, {0, 4, 3});                    // {3, 2, 6}: 3 9 of 0 3 6 9
#pragma once

#include <vector>

namespace tasuki {

// first, first + step, ..: `count` indices. A step may be negative, and is not 0.
struct Progression {
  long first = 0, count = 0, step = 1;

  long operator[](long k) const { return first + k * step; }
  long last() const { return first + (count - 1) * step; } // requires a non-empty one
  bool empty() const { return count <= 0; }
  bool has(long index) const;
  friend bool operator==(const Progression&, const Progression&) = default;
};

inline Progression span(long first, long end) { return {first, end > first ? end - first : 0, 1}; }
// i for (i = first; step > 0 ? i < bound : i > bound; i += step)
Progression until(long first, long bound, long step);
Progression reversed(const Progression& p);  // the same indices, the last one first
Progression ascending(const Progression& p); // reversed if it descends

// The common indices, ascending. {} if there are none.
Progression intersect(const Progression& a, const Progression& b);
// The non-empty intersections of all pairs of the two lists; the progressions of one list must be disjoint.
std::vector<Progression> intersect(const std::vector<Progression>& a, const std::vector<Progression>& b);

// The number k of an index all[k]; for a progression of indices of `all`, the progression of their numbers.
long number_in(const Progression& all, long index);
Progression numbers_in(const Progression& all, const Progression& some);

} // namespace tasuki

// Which elements a node's shadow takes from whom: arithmetic alone.
#pragma once

#include <tasuki/array/holding.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// How much of a shadow is filled along one dimension; below 0: as wide as it is. periodic: what lies before the first index
// is the last one, and the other way round.
struct ShadowWidth {
  long lo = -1, hi = -1;
  bool periodic = false;
  friend bool operator==(const ShadowWidth&, const ShadowWidth&) = default;
};

// A box of elements that a node owns and another one keeps in its shadow. Of both the cells of its memory, by dimension.
struct ShadowMove {
  int from = 0, to = 0;                   // nodes
  std::vector<Progression> owned, shadow; // in the memory of `from`, of `to`
  std::vector<int> direction; // in which it travels, by dimension: 1 to greater indices, -1 to lower ones, 0
};

// A shadow to fill, or to add up.
struct ShadowPlan {
  const Alignment* alignment = nullptr;
  const std::vector<Shadow>* shadows = nullptr;
  long size = 0;                   // of an element, bytes
  std::vector<ShadowWidth> widths; // by dimension
  bool corners = true;             // also what differs in two dimensions or more
  // Along a dimension of width 0 the owner's shadow travels as its own cells do: dimensions that are filled one after the
  // other carry the corners along.
  bool through = false;
};

// Throws Error where a width is greater than the shadow. `name`: of the array.
void check_widths(const ShadowPlan& plan, const std::string& name);

// Calls take(move) for all that a node's shadow takes, in an order that depends on nothing else; of the given owner alone
// where there is one. Each copy of an array fills its shadow from its own nodes.
void each_shadow_move(const ShadowPlan& plan, int to, int from_or_any,
                      const std::function<void(const ShadowMove&)>& take);
inline constexpr int kAnyNode = -1;

} // namespace tasuki

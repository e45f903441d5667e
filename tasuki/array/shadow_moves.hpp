// The elements that other nodes send into a node's shadow: pure arithmetic.
#pragma once

#include <tasuki/array/holding.hpp>

#include <functional>
#include <vector>

namespace tasuki {

// How much of a shadow is filled along one dimension; below 0: its whole width. periodic:
// the index before the first is the last one, and the index behind the last is the first.
struct ShadowWidth {
  long lo = -1, hi = -1;
  bool periodic = false;
  friend bool operator==(const ShadowWidth&, const ShadowWidth&) = default;
};

// A box of elements that one node owns and another keeps in its shadow, as cells of both memories, by dimension.
struct ShadowMove {
  int from = 0, to = 0;                   // nodes
  std::vector<Progression> owned, shadow; // in the memory of `from`, of `to`
  std::vector<int> direction; // of travel, by dimension: 1 to greater indices, -1 to lower ones, 0: none
};

// A shadow to fill, or to add up.
struct ShadowPlan {
  const Alignment* alignment = nullptr;
  const std::vector<Shadow>* shadows = nullptr;
  long size = 0;                   // of an element, bytes
  std::vector<ShadowWidth> widths; // by dimension
  bool corners = true;             // also elements beyond the block in two dimensions or more
  // If true, the shadow along a dimension of width 0 is sent like the owner's own cells:
  // when dimensions are filled one after the other, the corners are then included.
  bool through = false;
};

// Throws Error if a width is greater than the shadow. `name`: the name of the array.
void check_widths(const ShadowPlan& plan, const std::string& name);

// Calls take(move) for every box that goes into a node's shadow, in an order that is the same on all ranks;
// only from the given owner, if there is one. Each copy of an array fills its shadow from its own nodes.
void each_shadow_move(const ShadowPlan& plan, int to, int from_or_any,
                      const std::function<void(const ShadowMove&)>& take);
inline constexpr int kAnyNode = -1;

} // namespace tasuki

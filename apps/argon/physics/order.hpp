// Atoms in the order of a curve that fills the box, so that lanes side by side have atoms side by side.
#pragma once

#include <apps/argon/physics/curve.hpp>
#include <tasuki/device/group/group_shape.hpp>

#include <cstdint>

namespace tasuki::argon {

// order: a lane's atom. key: room for a number a lane. place_of(axis, atom), in fractions of the box. Atoms of one cell of
// the curve are in the order of their numbers.
template <class Group, class Index, class PlaceOf>
TS_HD void arrange(Group& g, std::uint32_t* key, Index* order, const PlaceOf& place_of) {
  auto rank = g.template own<std::uint32_t>();
  g.each([&](int i, int) {
    key[i] =
        curve_index(place_of(0, i), place_of(1, i), place_of(2, i)) << 16 | static_cast<std::uint32_t>(i);
  });
  struct Ranked {
    std::uint32_t key, below;
  };
  g.accumulate(
      g.lanes(),
      [key](int i, int) TS_LANE {
        return Ranked{key[i], 0};
      },
      [key](Ranked& r, int j, int) TS_LANE { r.below += key[j] < r.key ? 1u : 0u; },
      [&](int, int slot, const Ranked& r) TS_LANE { rank[slot] = r.below; });
  g.each([&](int i, int slot) { order[rank[slot]] = static_cast<Index>(i); });
}

} // namespace tasuki::argon

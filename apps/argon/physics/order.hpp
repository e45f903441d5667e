// Sorts atoms along a space-filling curve, so that neighbouring lanes have neighbouring atoms.
#pragma once

#include <apps/argon/physics/curve.hpp>
#include <tasuki/device/group/group_shape.hpp>

#include <cstdint>

namespace tasuki::argon {

// order: the atom of each lane. key: one number per lane. place_of(axis, atom): fractions of the box. Atoms in the same
// cell of the curve are ordered by their numbers.
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

// Coordinates of reduced precision for neighbour lists: 21 bits of x and z and 22 of y, in two words; bounding boxes.
#pragma once

#include <apps/argon/physics/pair.hpp>
#include <tasuki/device/group/group_shape.hpp>

#include <cmath>
#include <cstdint>

namespace tasuki::argon {

// After unpacking, the bits below those of x and z come from other coordinates: on average they add half a unit of the
// last kept place, for all atoms alike.
TS_HD Element<2> packed(const Place& p) {
  return {{(p.z << 11 & 0xffc00000u) | p.y >> 10, (p.x & 0xfffff800u) | p.z >> 21}};
}

TS_HD Place unpacked(const Element<2>& e) {
  return {e.word[1], e.word[0] << 10, e.word[1] << 21 | e.word[0] >> 11};
}

// The square of the distance between two positions, in units of coordinates.
TS_HD float way(const Element<2>& from, const Element<2>& to) {
  const Place p = unpacked(from), q = unpacked(to);
  const float x = apart(p.x, q.x), y = apart(p.y, q.y), z = apart(p.z, q.z);
  return fmaf(z, z, fmaf(y, y, x * x));
}

struct Around { // a bounding box: its centre and half widths
  Place middle;
  std::uint32_t x, y, z;
};

// The bounding box of the atoms first .. end - 1.
template <class Seen>
TS_HD Around box_around(const Seen& seen, int first, int end) {
  const Place origin = unpacked(seen[first]);
  std::int32_t lo[3] = {0, 0, 0}, hi[3] = {0, 0, 0};
  for (int i = first + 1; i < end; ++i) {
    const Place p = unpacked(seen[i]);
    const std::int32_t d[3] = {static_cast<std::int32_t>(p.x - origin.x),
                               static_cast<std::int32_t>(p.y - origin.y),
                               static_cast<std::int32_t>(p.z - origin.z)};
    for (int a = 0; a < 3; ++a) {
      lo[a] = d[a] < lo[a] ? d[a] : lo[a];
      hi[a] = d[a] > hi[a] ? d[a] : hi[a];
    }
  }
  std::uint32_t half[3], middle[3];
  for (int a = 0; a < 3; ++a) {
    half[a] = (static_cast<std::uint32_t>(hi[a]) - static_cast<std::uint32_t>(lo[a])) / 2 + 1;
    middle[a] = static_cast<std::uint32_t>(lo[a]) + half[a];
  }
  return {{origin.x + middle[0], origin.y + middle[1], origin.z + middle[2]}, half[0], half[1], half[2]};
}

// The distance beyond `reach` from the centre, in eighths of an edge; 0 within it.
TS_HD float beyond(std::uint32_t place, std::uint32_t middle, std::uint32_t reach) {
  const std::uint32_t d = place - middle, e = middle - place, distance = d < e ? d : e;
  return static_cast<float>(static_cast<std::int32_t>((distance > reach ? distance - reach : 0u) >> 1)) *
         0x1p-28f;
}

} // namespace tasuki::argon

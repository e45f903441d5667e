// A space-filling curve: Hilbert's, through 8 cells along each axis (by J. Skilling, AIP Conf. Proc. 707, 381
// (2004)). Successive cells share a face, so a section of the curve is compact.
#pragma once

#include <tasuki/base/macros.hpp>

#include <cstdint>

namespace tasuki::argon {

// The index along the curve, below 512, of the cell that contains a position in fractions of the box.
TS_HD std::uint32_t curve_index(std::uint32_t px, std::uint32_t py, std::uint32_t pz) {
  std::uint32_t x = px >> 29, y = py >> 29, z = pz >> 29;
  for (std::uint32_t q = 4; q > 1; q /= 2) {
    const std::uint32_t low = q - 1;
    const auto turn = [&](std::uint32_t& other) {
      const std::uint32_t swapped = (x ^ other) & low;
      if (other & q) {
        x ^= low;
      } else {
        x ^= swapped;
        other ^= swapped;
      }
    };
    if (x & q) x ^= low; // otherwise there is nothing to swap
    turn(y);
    turn(z);
  }
  y ^= x;
  z ^= y;
  std::uint32_t flipped = 0;
  for (std::uint32_t q = 4; q > 1; q /= 2)
    if (z & q) flipped ^= q - 1;
  x ^= flipped;
  y ^= flipped;
  z ^= flipped;
  std::uint32_t index = 0;
  for (int bit = 2; bit >= 0; --bit)
    index = index << 3 | (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1);
  return index;
}

} // namespace tasuki::argon

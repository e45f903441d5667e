// Boxes of bytes in a device's memory: rows of `width` bytes, `pitch` apart, planes of rows `slice` apart.
//
//   check(address, end_of({pitch, slice}, {width, height, depth}));   // bytes from the first to the last
//   in_pieces(extent, most, [&](const BoxPiece& piece) { .. });        // at most so many bytes each, in order
#pragma once

#include <remote/server/refuse.hpp>
#include <remote/wire/fields.hpp>

#include <algorithm>

namespace tasuki::remote {

struct BoxExtent {
  u64 width = 0, height = 1, depth = 1; // bytes, rows, planes
};
struct BoxRows {
  u64 at = 0, pitch = 0, slice = 0;
};

// From the first byte to the last. Throws DeviceError for a box that cannot be.
inline u64 end_of(const BoxRows& rows, const BoxExtent& e) {
  constexpr u64 much =
      1ull << 31; // rows, planes, and bytes of a row where there are several: a product of two fits
  constexpr u64 all = 1ull << 44;
  const bool flat = e.height == 1 && e.depth == 1;
  if (!e.width || !e.height || !e.depth || e.width > (flat ? all : much) || e.height > much ||
      e.depth > much || (e.height > 1 && (rows.pitch > much || rows.pitch < e.width)) ||
      (e.depth > 1 && (rows.slice > all || rows.pitch > much || rows.slice < e.height * rows.pitch)))
    refuse(Status::invalid_value, "a box that cannot be", "give its width, height, depth and pitch");
  unsigned __int128 end = e.width;
  if (e.height > 1) end += static_cast<unsigned __int128>(e.height - 1) * rows.pitch;
  if (e.depth > 1) end += static_cast<unsigned __int128>(e.depth - 1) * rows.slice;
  if (end > all)
    refuse(Status::invalid_value, "a box that is larger than any device", "give its pitch in bytes");
  return static_cast<u64>(end);
}

// Rows of one plane, or a part of one row; from its place in the box.
struct BoxPiece {
  u64 x = 0, y = 0, z = 0;
  u64 width = 0, rows = 0;
  u64 bytes() const { return width * rows; }
  u64 at(const BoxRows& box) const { return box.at + x + y * box.pitch + z * box.slice; }
};

// visit(piece), as long as it returns true.
template <class Visit>
void in_pieces(const BoxExtent& e, u64 most, const Visit& visit) {
  const u64 width = std::min(e.width, most), rows = std::max<u64>(1, most / width);
  for (u64 z = 0; z < e.depth; ++z)
    for (u64 y = 0; y < e.height; y += width < e.width ? 1 : rows)
      for (u64 x = 0; x < e.width; x += width) {
        const BoxPiece piece{x, y, z, std::min(width, e.width - x),
                             width < e.width ? 1 : std::min(rows, e.height - y)};
        if (!visit(piece)) return;
      }
}

} // namespace tasuki::remote

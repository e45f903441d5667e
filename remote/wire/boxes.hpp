// Boxes of bytes in memory, as CUDA has them: rows of `width` bytes, `pitch` apart, in planes `slice` apart.
//
//   in_parts(box, [&](u64 x, u64 y, u64 z, const Box& part) { copy(moved(to, x, y, z), moved(from, x, y, z), part); });
//   u64 bytes = span_of(place, box);          // from the first byte to the last, with what lies between rows
#pragma once

#include <remote/wire/frames.hpp>

#include <algorithm>

namespace tasuki::remote {

struct Box {
  u64 width = 0, height = 1, depth = 1; // bytes, rows, planes
  u64 bytes() const { return width * height * depth; }
};
struct Place { // of a box
  u64 address = 0, pitch = 0, slice = 0;
};

inline Place moved(const Place& place, u64 x, u64 y, u64 z) {
  return {place.address + x + y * place.pitch + z * place.slice, place.pitch, place.slice};
}

inline u64 span_of(const Place& place, const Box& box) {
  return place.slice * (box.depth - 1) + place.pitch * (box.height - 1) + box.width;
}

// Cuts a box into boxes of at most tail_limit bytes: planes, else rows, else parts of a row.
template <class Part>
void in_parts(const Box& box, Part part) {
  const u64 width = std::min<u64>(box.width, tail_limit);
  const u64 rows = std::min(box.height, std::max<u64>(1, tail_limit / width));
  const u64 planes = box.height == rows ? std::max<u64>(1, tail_limit / (width * rows)) : 1;
  for (u64 z = 0; z < box.depth; z += planes)
    for (u64 y = 0; y < box.height; y += rows)
      for (u64 x = 0; x < box.width; x += width)
        part(x, y, z,
             Box{std::min(width, box.width - x), std::min(rows, box.height - y),
                 std::min(planes, box.depth - z)});
}

} // namespace tasuki::remote

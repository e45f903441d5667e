// How far a box of a client's reaches, where it can be one.
//
//   check(address, checked_span({address, pitch, slice}, {width, height, depth}));
#pragma once

#include <remote/server/refuse.hpp>
#include <remote/wire/boxes.hpp>

namespace tasuki::remote {

// As span_of(). Throws DeviceError for a box that cannot be: one of nothing, of rows that overlap, or larger than any device.
inline u64 checked_span(const Place& place, const Box& box) {
  // Of rows and planes, and of a row's bytes where there are several: a product of two fits.
  constexpr u64 much = 1ull << 31, all = 1ull << 44;
  const bool one_row = box.height == 1 && box.depth == 1;
  const bool apart = one_row || (place.pitch <= much && place.slice <= all &&
                                 (box.height == 1 || place.pitch >= box.width) &&
                                 (box.depth == 1 || place.slice >= box.height * place.pitch));
  if (!box.width || !box.height || !box.depth || box.width > (one_row ? all : much) || box.height > much ||
      box.depth > much || !apart)
    refuse(Status::invalid_value, "a box that cannot be", "give its width, height, depth and pitch");
  const unsigned __int128 end = static_cast<unsigned __int128>(box.depth - 1) * place.slice +
                                static_cast<unsigned __int128>(box.height - 1) * place.pitch + box.width;
  if (end > all)
    refuse(Status::invalid_value, "a box that is larger than any device", "give its pitch in bytes");
  return span_of(place, box);
}

} // namespace tasuki::remote

// The arguments of a sweep's kernel besides its cell function: bound views of fields.
#pragma once

#include <tasuki/device/kernel/view.hpp>

namespace tasuki {

// The stencil of a field: how many cells away it is read along each axis, and along how many axes at once.
struct ReadShape {
  static constexpr int kAxes = 6;
  signed char below[kAxes] = {}, above[kAxes] = {};
  signed char order = 0;
};

// A bound view of a field. Far: the field is also read at other cells.
template <class View, int ReadBytes, bool Far = false>
struct BoundView {
  static constexpr int read_bytes =
      ReadBytes; // of device memory per cell; determines how many loads a thread keeps in flight
  static constexpr bool tallies = false;
  View view;
};
template <class View, int ReadBytes>
struct BoundView<View, ReadBytes, true> {
  static constexpr int read_bytes = ReadBytes;
  static constexpr bool tallies = false;
  View view;
  ReadShape shape;
};

template <class B>
inline constexpr bool is_far = false;
template <class View, int ReadBytes>
inline constexpr bool is_far<BoundView<View, ReadBytes, true>> = true;

// Which cells a reduction counts: a walk whose cells are all owned, or none of them, needs no test per cell.
enum class Count { owned, all, none };

namespace detail {
inline constexpr int kBlock = 256; // threads per GPU block
}

} // namespace tasuki

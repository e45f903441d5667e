// What a sweep's kernel is given besides its cell function: views of fields, bound.
#pragma once

#include <tasuki/device/kernel/view.hpp>

namespace tasuki {

// How far a sweep reads a field off its own cell: cells along each axis, and at how many axes at once.
struct ReadShape {
  static constexpr int kAxes = 6;
  signed char below[kAxes] = {}, above[kAxes] = {};
  signed char order = 0;
};

// A field's view, bound. Far: it is read off the cell too.
template <class View, int ReadBytes, bool Far = false>
struct BoundView {
  static constexpr int read_bytes =
      ReadBytes; // of device memory a cell; what it takes to keep loads in flight
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

// Which cells a reduction counts: where a walk knows that it is all or none, it need not look.
enum class Count { owned, all, none };

namespace detail {
inline constexpr int kBlock = 256; // threads of a block of a GPU
}

} // namespace tasuki

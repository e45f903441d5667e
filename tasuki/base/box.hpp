// A box is a range of cells along each axis: lo <= i < hi, for 1 to kMaxDims axes.
//
//   const ts::Box plate = ts::box_of(2, {512, 256}), left = ts::box_of(2, {100, 256});
//   const long cells = ts::intersect(plate, left).cells();                // 100 x 256
//   const std::vector<ts::Box> right = ts::subtract(plate, left);         // one box: x from 100 to 511
//   const ts::Box halo = ts::grow(left, {ts::Width(1), ts::Width(1)});    // -1 <= x < 101, -1 <= y < 257
//
// All numbers are cells, x first. Axes from dims on are 0. Functions of two boxes expect the same dims; none throws Error.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki {

inline constexpr int kMaxDims = 6; // the most axes of a grid; may be increased

using Index = std::array<long, kMaxDims>; // cells along each axis, x first; axes past dims are 0

// The number of cells below and above: the width of a halo, or the reach of a stencil, along one axis.
struct Width {
  int lo = 0, hi = 0;
  constexpr Width() = default;
  constexpr Width(int both) : lo(both), hi(both) {}
  constexpr Width(int low, int high) : lo(low), hi(high) {}
  friend constexpr bool operator==(const Width&, const Width&) = default;
};
using Widths = std::array<Width, kMaxDims>;

// The cells lo[a] <= i < hi[a] along each of dims axes.
struct Box {
  int dims = 0;
  Index lo{}, hi{};

  long extent(int axis) const { return hi[axis] - lo[axis]; } // cells; negative if lo > hi
  bool empty() const;                                         // along at least one axis
  long cells() const;                                         // 0 if empty
  bool contains(const Box& other) const;                      // every cell of it
  friend bool operator==(const Box&, const Box&) = default;
};

Box box_of(int dims, const Index& extents);                   // 0 .. extents
Box intersect(const Box& a, const Box& b);                    // may be empty
Box grow(Box box, const Widths& by);                          // negative widths shrink the box
Box shift(Box box, const Index& by);                          // by[a] cells along each axis
std::vector<Box> subtract(const Box& whole, const Box& part); // whole without part, as disjoint boxes
std::string to_string(const Box& box);                        // for messages

} // namespace tasuki

// Index boxes: half-open boxes of cells, of any dimension up to kMaxDims.
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

  long extent(int axis) const { return hi[axis] - lo[axis]; }
  bool empty() const;
  long cells() const; // 0 if empty
  bool contains(const Box& other) const;
  friend bool operator==(const Box&, const Box&) = default;
};

Box box_of(int dims, const Index& extents); // 0 .. extents
Box intersect(const Box& a, const Box& b);  // may be empty
Box grow(Box box, const Widths& by);        // negative widths shrink the box
Box shift(Box box, const Index& by);
std::vector<Box> subtract(const Box& whole, const Box& part); // whole without part, as disjoint boxes
std::string to_string(const Box& box);

} // namespace tasuki

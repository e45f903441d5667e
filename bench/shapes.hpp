// The table of shapes: sums of all points of a star or a box, by dimension, radius and precision, each by Tasuki
// (shapes_flat.cpp, shapes_deep.cpp) and by a kernel of one cell a thread (shapes_cuda.cu).
//
// Names: shape_3d_box1_double/tasuki/cuda/512x512x512, and plain for tasuki.
#pragma once

#include <tasuki/base/macros.hpp>

#include <array>
#include <string>

namespace tasuki::bench {

// One cell: a constant times the sum of its points, in this order. u(at, dx, dy, ..) reads, v(at) = .. writes.
template <class Number, int Dims, int Radius, bool Box>
struct Points {
  using T = Number;
  static constexpr int D = Dims, R = Radius;
  static constexpr bool box = Box;
  T factor;

  TS_CELL void operator()(auto at, auto u, auto v) const {
    T sum = 0;
    if constexpr (D == 1) {
#pragma unroll
      for (int x = -R; x <= R; ++x) sum += u(at, x);
    } else if constexpr (D == 2 && box) {
#pragma unroll
      for (int y = -R; y <= R; ++y)
#pragma unroll
        for (int x = -R; x <= R; ++x) sum += u(at, x, y);
    } else if constexpr (D == 2) {
      sum = u(at, 0, 0);
#pragma unroll
      for (int r = 1; r <= R; ++r) sum += u(at, r, 0) + u(at, -r, 0) + u(at, 0, r) + u(at, 0, -r);
    } else if constexpr (box) {
#pragma unroll
      for (int z = -R; z <= R; ++z)
#pragma unroll
        for (int y = -R; y <= R; ++y)
#pragma unroll
          for (int x = -R; x <= R; ++x) sum += u(at, x, y, z);
    } else {
      sum = u(at, 0, 0, 0);
#pragma unroll
      for (int r = 1; r <= R; ++r)
        sum += u(at, r, 0, 0) + u(at, -r, 0, 0) + u(at, 0, r, 0) + u(at, 0, -r, 0) + u(at, 0, 0, r) +
               u(at, 0, 0, -r);
    }
    v(at) = factor * sum;
  }
};

template <class Shape>
std::string shape_name(const char* who, const std::array<long, Shape::D>& extents) {
  std::string name = "shape_" + std::to_string(Shape::D) + "d_" + (Shape::box ? "box" : "star") +
                     std::to_string(Shape::R) + (sizeof(typename Shape::T) == 8 ? "_double/" : "_float/") +
                     who + "/cuda/";
  for (std::size_t a = 0; a < extents.size(); ++a) name += (a ? "x" : "") + std::to_string(extents[a]);
  return name;
}

// each.template operator()<Points<..>>(extents) for every row of the table.
template <class Each>
void for_flat_shapes(const Each& each) {
  each.template operator()<Points<float, 1, 1, false>>(std::array{1L << 28});
  each.template operator()<Points<double, 1, 4, false>>(std::array{1L << 27});
  each.template operator()<Points<float, 2, 1, false>>(std::array{16384L, 16384L});
  each.template operator()<Points<double, 2, 1, false>>(std::array{8192L, 8192L});
  each.template operator()<Points<double, 2, 1, true>>(std::array{8192L, 8192L});
  each.template operator()<Points<float, 2, 2, true>>(std::array{8192L, 8192L});
  each.template operator()<Points<float, 2, 4, false>>(std::array{8192L, 8192L});
  each.template operator()<Points<double, 2, 4, false>>(std::array{8192L, 8192L});
}
template <class Each>
void for_deep_shapes(const Each& each) {
  each.template operator()<Points<float, 3, 1, false>>(std::array{768L, 768L, 768L});
  each.template operator()<Points<double, 3, 1, false>>(std::array{512L, 512L, 512L});
  each.template operator()<Points<float, 3, 1, true>>(std::array{640L, 640L, 640L});
  each.template operator()<Points<double, 3, 1, true>>(std::array{512L, 512L, 512L});
  each.template operator()<Points<float, 3, 2, false>>(std::array{640L, 640L, 640L});
  each.template operator()<Points<float, 3, 2, true>>(std::array{512L, 512L, 512L});
  each.template operator()<Points<float, 3, 4, false>>(std::array{640L, 640L, 640L});
  each.template operator()<Points<double, 3, 4, false>>(std::array{512L, 512L, 512L});
}

void register_flat_shapes();  // shapes_flat.cpp
void register_deep_shapes();  // shapes_deep.cpp
void register_plain_shapes(); // shapes_cuda.cu

} // namespace tasuki::bench

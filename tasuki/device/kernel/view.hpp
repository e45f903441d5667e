// The arguments of cell functions: the cell, and a view of each field.
//
//   struct Average {
//     TS_CELL void operator()(auto c, auto u, auto v) const { // Cell<2>, In<float>, Out<float>
//       if (c[0] < c.extent(0) / 2) v(c) = 0.5f * (u(c, -1, 0) + u(c, 1, 0));
//     }
//   };
//
// Offsets and indices are cells, x first. Views are plain values, without host classes and without the standard library,
// so that NVRTC can read this file. A checked build (TASUKI_CHECKED) reports reads that the sweep has not declared.
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki {

// The geometry of a block. stride in elements; origin: global index of the first owned cell; extent: cells of
// the whole grid; owned: cells of this block; round: equal to owned along an axis read with periodic wrap, else 0.
template <int D>
struct Geometry {
  long stride[D];
  long origin[D];
  long extent[D];
  int owned[D];
  int round[D];
};

// A cell. c[a] is its global index along axis a, 0 <= c[a] < c.extent(a). For a halo cell it is the index
// of its owner's cell, so that results computed from it are the same on every rank.
template <int D>
struct Cell {
  static constexpr int dims = D;
  Geometry<D> geometry;
  long i;   // elements from the first owned cell
  int x[D]; // local coordinates, owned cells from 0

  TS_HD long operator[](int axis) const {
    const long g = geometry.origin[axis] + x[axis], n = geometry.extent[axis];
    return g < 0 ? g + n : g >= n ? g - n : g;
  }
  TS_HD long extent(int axis) const { return geometry.extent[axis]; } // cells of the grid
  // False for a halo cell.
  TS_HD bool owned() const {
    bool in = true;
    for (int a = 0; a < D; ++a) in = in && x[a] >= 0 && x[a] < geometry.owned[a];
    return in;
  }
};

// A cell of the window of cells that one thread computes, with its position relative to the window's first cell. Where
// loops over the window are unrolled, these are constants, and so are the offsets of all reads from `first`: the
// compiler sees that several cells read the same address, and loads it once.
template <int D>
struct WindowCell : Cell<D> {
  long first; // elements from the first owned cell to the window's first cell
  int across; // position along the axis before the last, for three or more axes
  int along;  // position along the last axis
};

namespace detail {

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

template <int D, class... O>
TS_HD long offset(const Cell<D>& c, O... by) {
  static_assert(sizeof...(O) == D, "give one offset an axis, x first");
  const long steps[] = {static_cast<long>(by)...};
  long i = steps[0];
  for (int a = 1; a < D; ++a) i += steps[a] * c.geometry.stride[a];
  return i;
}

// A step along an axis, with periodic wrap if the axis has it.
template <int D>
TS_HD int round_the_end(const Cell<D>& c, int axis, int step) {
  const int to = c.x[axis] + step;
  if (step > 0 && to >= c.geometry.owned[axis]) return step - c.geometry.round[axis];
  if (step < 0 && to < 0) return step + c.geometry.round[axis];
  return step;
}

// Index of an element from the first owned cell; K components are stored row by row, K = 1: plane by plane, or one.
template <int K, int D>
TS_HD long place(const Cell<D>& c) {
  if constexpr (K == 1)
    return c.i;
  else
    return (c.i - c.x[0]) * K + c.x[0];
}
template <int K, int D, class... O>
TS_HD long place(const Cell<D>& c, long x, O... by) {
  static_assert(1 + sizeof...(O) == D, "give one offset an axis, x first");
  if constexpr (K == 1) {
    return c.i + offset(c, x, by...);
  } else {
    const int steps[] = {static_cast<int>(x), static_cast<int>(by)...};
    long row = c.i - c.x[0];
    for (int a = 1; a < D; ++a) row += round_the_end(c, a, steps[a]) * c.geometry.stride[a];
#if defined(__CUDA_ARCH__)
    return row * K + c.x[0] + round_the_end(c, 0, steps[0]);
#else
    return row * K + c.x[0] + x; // GridOptions::wraps
#endif
  }
}

// The same for K = 1, added in an order that gives the cells of a window common subexpressions.
template <int D>
TS_HD long place_in_window(const WindowCell<D>& c) {
  return c.i;
}
template <int D, class... O>
TS_HD long place_in_window(const WindowCell<D>& c, O... by) {
  static_assert(sizeof...(O) == D, "give one offset an axis, x first");
  int steps[] = {static_cast<int>(by)...};
  steps[D - 1] += c.along;
  if constexpr (D > 2) steps[D - 2] += c.across;
  long i = c.first;
  for (int a = D - 1; a > 0; --a) i += steps[a] * c.geometry.stride[a];
  return i + steps[0];
}

// Numbers that nothing writes during the sweep are read through the
// read-only path: the compiler may then keep and reorder them across stores.
template <class T>
TS_HD decltype(auto) load(const T* p) {
#if defined(__CUDA_ARCH__)
  if constexpr (same<T, float> || same<T, double> || same<T, int>) return __ldg(p);
#endif
  if constexpr (__is_class(T))
    return static_cast<const T&>(*p);
  else
    return T(*p);
}

} // namespace detail

#if defined(TASUKI_CHECKED)

// Where a checked build records the first undeclared access of a sweep.
struct Violation {
  int taken;
  int field; // index of the access in the sweep
  int wrote; // 0: read further than declared, 1: read what it only writes
  int dims;
  long cell[6];
  int offset[6];
};

struct Declared { // the shape that the sweep declared for a field
  Violation* watch;
  int field;
  int lo[6], hi[6], order;

  template <int D>
  TS_HD void report(const Cell<D>& c, const int* by, int wrote) const {
#if defined(__CUDA_ARCH__)
    const bool first = atomicCAS(&watch->taken, 0, 1) == 0;
#else
    int none = 0;
    const bool first =
        __atomic_compare_exchange_n(&watch->taken, &none, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
    if (!first) return;
    watch->field = field;
    watch->wrote = wrote;
    watch->dims = D;
    for (int a = 0; a < D; ++a) {
      watch->cell[a] = c[a];
      watch->offset[a] = by ? by[a] : 0;
    }
  }
  // False if the offset was not declared; the access is then recorded.
  template <int D, class... O>
  TS_HD bool allows(const Cell<D>& c, O... offsets) const {
    if constexpr (sizeof...(O) == 0) {
      return true;
    } else {
      const int by[] = {static_cast<int>(offsets)...};
      int axes = 0;
      bool in = true;
      for (int a = 0; a < D; ++a) {
        axes += by[a] != 0;
        in = in && by[a] >= -lo[a] && by[a] <= hi[a];
      }
      if (in && axes <= order) return true;
      report(c, by, 0);
      return false;
    }
  }
};

#endif

// A field that a sweep reads: u(c) in the cell itself, u(c, -1, 0) one cell to the left. One offset in cells per axis, x first.
template <class T, int K = 1>
struct In {
  const T* p;
#if defined(TASUKI_CHECKED)
  Declared declared;
#endif

  template <int D, class... O>
  TS_HD decltype(auto) operator()(const Cell<D>& c, O... by) const {
#if defined(TASUKI_CHECKED)
    if (!declared.allows(c, by...)) return detail::load(p + detail::place<K>(c));
#endif
    return detail::load(p + detail::place<K>(c, by...));
  }

#if !defined(TASUKI_CHECKED)
  template <int D, class... O>
  requires(K == 1) TS_HD decltype(auto) operator()(const WindowCell<D>& c, O... by) const {
    return detail::load(p + detail::place_in_window(c, by...));
  }
#endif
};

// A field that a sweep reads and writes in the cell itself: w(c) += 1.
template <class T, int K = 1>
struct InOut {
  T* p;

  template <int D>
  TS_HD T& operator()(const Cell<D>& c) const {
    return p[detail::place<K>(c)];
  }
};

// A field that a sweep writes, in the cell itself: v(c) = 1. A checked build reports reading it.
template <class T, int K = 1>
struct Out {
  T* p;
#if defined(TASUKI_CHECKED)
  Declared declared;

  template <int D>
  struct Written {
    T* at;
    Cell<D> c;
    Declared declared;
    TS_HD T operator=(const T& value) const { return *at = value; }
    TS_HD operator T() const {
      declared.report(c, nullptr, 1);
      return *at;
    }
  };
  template <int D>
  TS_HD Written<D> operator()(const Cell<D>& c) const {
    return {p + detail::place<K>(c), c, declared};
  }
#else
  template <int D>
  TS_HD T& operator()(const Cell<D>& c) const {
    return p[detail::place<K>(c)];
  }
#endif
};

// A field of T[K]: a[k] is the view of its k-th number, 0 <= k < K; a[k](c, -1, 0) reads it.
template <class View>
struct Components {
  View first;
  long plane; // elements from a component to the next: a plane or a row

  TS_HD View operator[](int k) const {
    View v = first;
    v.p += k * plane;
    return v;
  }
};

} // namespace tasuki

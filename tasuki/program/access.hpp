// What a sweep declares: which fields it reads, how far away, which it writes, what it reduces.
#pragma once

#include <tasuki/field/field.hpp>

#include <memory>

namespace tasuki {

// How far from its own cell a sweep reads: width along each axis, off at most `order` axes at once.
struct Shape {
  Widths width{};
  int order = 0;
};

inline Shape shape_of(const Halo& reach, int order) { return {reach.values(), order}; }
inline Shape star(const Halo& reach) {
  return shape_of(reach, 1);
} // along the axes: 5-point in 2-D, 7 in 3-D
inline Shape edges(const Halo& reach) {
  return shape_of(reach, 2);
} // off two axes at once too: 19-point in 3-D
inline Shape box(const Halo& reach) { return shape_of(reach, kMaxDims); } // corners too: 9-point, 27-point

template <class T>
struct Reads {
  Field<T> field;
  Shape shape;
};
template <class T>
struct ReadsHere : Reads<T> {}; // in the cell itself, and nowhere else
template <class T>
struct Writes {
  Field<T> field;
};
template <class T>
struct Updates {
  Field<T> field;
};

// The cell function is given u(c, dx, dy, ..) for a field it reads, v(c) = .. for one it writes, w(c) for one that it
// reads and writes in the same cell.
template <class T>
Reads<T> reads(const Field<T>& field, const Shape& shape) {
  return {field, shape};
}
template <class T>
ReadsHere<T> reads(const Field<T>& field) {
  return {{field, {}}};
}
template <class T>
Writes<T> writes(const Field<T>& field) {
  return {field};
}
template <class T>
Updates<T> updates(const Field<T>& field) {
  return {field};
}

namespace detail {
class ReductionCore;
}

// The same, without types: what the planner sees.
struct Access {
  enum class Kind { read, write, update, reduce, use };
  Kind kind;
  std::shared_ptr<FieldCore> field; // null for a reduction and for scalars
  Shape shape{};                    // of a read
  std::string name;
  const detail::ReductionCore* reduction = nullptr; // of a reduction
  bool here = false;                                // read in the cell itself, by its type
  const Device* device = nullptr;                   // of a reduction and of scalars
};

} // namespace tasuki

// Accesses: a sweep declares the fields that it reads (and at which offsets) and writes, and its reductions.
#pragma once

#include <tasuki/field/cells.hpp>
#include <tasuki/field/field.hpp>

#include <memory>

namespace tasuki {

// The stencil of a read: offsets up to `width` along each axis, and nonzero along at most `order` axes at once.
struct Shape {
  Widths width{};
  int order = 0;
};

inline Shape shape_of(const Halo& reach, int order) { return {reach.values(), order}; }
inline Shape star(const Halo& reach) {
  return shape_of(reach, 1);
} // offsets along one axis: 5 points in 2-D, 7 in 3-D
inline Shape edges(const Halo& reach) {
  return shape_of(reach, 2);
} // along up to two axes at once: 19 points in 3-D
inline Shape box(const Halo& reach) { return shape_of(reach, kMaxDims); } // along all axes: 9, 27 points

template <class T>
struct Reads {
  Field<T> field;
  Shape shape;
};
template <class T>
struct ReadsHere : Reads<T> {}; // only in the cell itself
template <class T>
struct Writes {
  Field<T> field;
};
template <class T>
struct Updates {
  Field<T> field;
};

template <class T>
struct ReadsAnywhere {
  Field<T> field;
  std::shared_ptr<detail::CellTables> tables;
};

// A cell function reads u(c, dx, dy, ..) of a field u that its sweep declares by reads(), assigns
// v(c) = .. to one declared by writes(), and does both with w(c) of one declared by updates().
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

// anywhere(u): the cell function reads u.at(i, j, ..), or u[k].at(i, j, ..) of a Field<T[K]>, at global indices (x first),
// whoever owns the cell; beyond the end of a periodic axis they wrap around, beyond another they are an Error. The field
// lies in memory that all ranks address (Field<float> u(grid, "u", space)). Before the sweep the program synchronises it, so that
// all ranks see what was written last, and after it waits for those who read before the field is written again.
template <class T>
ReadsAnywhere<T> anywhere(const Field<T>& field) {
  return {field, std::make_shared<detail::CellTables>()};
}

namespace detail {
class ReductionCore;
}

// An access without template types, as the planner uses it.
struct Access {
  enum class Kind { read, write, update, anywhere, reduce, use };
  Kind kind;
  std::shared_ptr<FieldCore> field; // null for a reduction and for scalars
  Shape shape{};                    // of a read
  std::string name;
  const detail::ReductionCore* reduction = nullptr; // of a reduction
  bool here = false;                                // its type permits reads only in the cell itself
  const Device* device = nullptr;                   // of a reduction and of scalars
};

} // namespace tasuki

// Accesses declare the fields that a sweep reads (and at which offsets) and the fields that it writes.
//
//   const auto five = ts::reads(u, ts::star(1));        // u(c, 1, 0): offsets along one axis at once, here up to 1 cell
//   const auto nine = ts::reads(u, ts::box({1, 2}));    // u(c, 1, -2): along several at once, 1 along x and 2 along y
//   const auto relax = ts::sweep(Relax{}, grid.inner(1), five, ts::writes(v));
//
// Widths are cells, x first. A program inserts the exchanges of halos that its reads need.
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

// Offsets up to `reach` cells along each axis, along at most `order` axes at once.
inline Shape shape_of(const Halo& reach, int order) { return {reach.values(), order}; }
// Offsets along one axis at once: with a reach of 1, 5 points in 2-D and 7 in 3-D.
inline Shape star(const Halo& reach) { return shape_of(reach, 1); }
// Offsets along up to two axes at once: with a reach of 1, 19 points in 3-D.
inline Shape edges(const Halo& reach) { return shape_of(reach, 2); }
// Offsets along all axes at once: with a reach of 1, 9 points in 2-D and 27 in 3-D.
inline Shape box(const Halo& reach) { return shape_of(reach, kMaxDims); }

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

// reads(u, star(1)): the cell function reads u(c, dx, dy, ..) at the offsets of the shape, in cells. program()
// throws Error if the shape reaches beyond the halo, or beyond the edge of the grid.
template <class T>
Reads<T> reads(const Field<T>& field, const Shape& shape) {
  return {field, shape};
}
// reads(u): the cell function reads u(c), only in the cell itself.
template <class T>
ReadsHere<T> reads(const Field<T>& field) {
  return {{field, {}}};
}
// writes(v): the cell function assigns v(c) = .. in every cell of the region and does not read v; cells outside the region keep
// their values. A function that leaves some cells as they are declares updates(v).
template <class T>
Writes<T> writes(const Field<T>& field) {
  return {field};
}
// updates(w): the cell function reads and writes w(c), only in the cell itself.
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

// The storage of a field: the positions of a cell's numbers in memory. The rule is the same on every rank, and in the model.
//
// const Storage spinors{sizeof(float), 24};
// spinors.place(layout, {3, 0, 0, 1}, 5);      // elements from component 0 of the first owned cell
// spinors.strided(origin, layout, box, 5);     // that component of a box of cells, as bytes
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/field/layout.hpp>

namespace tasuki {

// The most components that have a plane each. If there are more, each row of x is followed by the
// same row of the next component, because a processor cannot prefetch from so many planes at once.
inline constexpr int kMostPlanes = 16;
constexpr bool lies_by_rows(int components) { return components > kMostPlanes; }

// The storage of a field on memory of the user: the positions of this rank's cells, in elements of the field's value type.
struct FieldLayout {
  std::size_t bytes = 0;     // size of the memory
  std::size_t alignment = 0; // bytes: the memory begins at a multiple of this
  long origin = 0;           // elements from its start to the first owned cell
  Index extents{};           // owned cells
  Index stride{};            // elements from a cell to the next along each axis; stride[0] = 1
  long component_stride = 0; // from a component to the next
};

struct Storage {
  long element_bytes = 0;
  int components = 1;

  // In elements; `local` from the first owned cell.
  long stride(const Layout& layout, int axis) const; // from a cell to the next
  long component_stride(const Layout& layout) const;
  long place(const Layout& layout, const Index& local, int component) const;
  long lead(const Layout& layout) const;         // from the memory's start to the first owned cell
  std::size_t bytes(const Layout& layout) const; // of all cells and their halo, padding included

  // One component of a box of local cells; `origin`: address of component 0 of the first owned cell.
  Strided strided(char* origin, const Layout& layout, const Box& local, int component) const;
};

} // namespace tasuki

// A lattice times a number of columns: fields with several spinors per site, for several right-hand sides at once.
//
// The columns are an axis of the grid, never cut and without a halo, so their number is a run-time value. Fields with
// one value per site, such as links, are read for the columns of a row one after another, from the cache.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>

namespace tasuki::wilson {

inline constexpr int kBlockAxes = kAxes + 1;
// The position of the column axis among x, y, z, t: the loop over cells has x fastest, and GPU threads are along the
// first two axes.
inline constexpr int kColumnAxis = 2;
TS_HD constexpr int block_axis(int mu) { return mu < kColumnAxis ? mu : mu + 1; }

class Block {
public:
  // Throws Error unless columns > 0. Collective.
  Block(const Lattice& lattice, int columns);

  World& world() const { return lattice_.world(); }
  const Lattice& lattice() const { return lattice_; }
  int columns() const { return columns_; }
  const Grid<kBlockAxes>& grid() const { return grid_; }
  Region<kBlockAxes> all() const { return grid_.all(); }
  Region<kBlockAxes> column(int k) const;

private:
  Lattice lattice_;
  int columns_;
  Grid<kBlockAxes> grid_;
};

// The stencil of sweeps over a block: it reads along the axes of the lattice.
Shape block_star();

// A cell of a block. Functions of lattice sites access its axes by the numbers of the lattice's axes.
using Site = Cell<kBlockAxes>;

TS_HD int column_of(const Site& n) { return n.x[kColumnAxis]; }
TS_HD long extent_along(const CellOf<kBlockAxes> auto& n, int mu) { return n.extent(block_axis(mu)); }
TS_HD long along(const CellOf<kBlockAxes> auto& n, int mu) {
  return n.geometry.origin[block_axis(mu)] + n.x[block_axis(mu)];
}
TS_HD int row_parity(const CellOf<kBlockAxes> auto& n) {
  return static_cast<int>((along(n, 1) + along(n, 2) + along(n, 3)) & 1);
}

// A block's field as a function of a site: [k](n) and [k](n, x, y, z, t) are of the cell's own column.
template <class Planes>
struct OfSite {
  Planes planes;

  template <class View>
  struct Plane {
    View view;
    TS_HD decltype(auto) operator()(const Site& n) const { return view(n); }
    TS_HD decltype(auto) operator()(const Site& n, int x, int y, int z, int t) const {
      static_assert(kColumnAxis == 1 || kColumnAxis == 2);
      if constexpr (kColumnAxis == 1)
        return view(n, x, 0, y, z, t);
      else
        return view(n, x, y, 0, z, t);
    }
  };
  TS_HD auto operator[](int k) const { return Plane<decltype(planes[k])>{planes[k]}; }
};
template <class Planes>
TS_HD OfSite<Planes> of_site(const Planes& planes) {
  return {planes};
}

// A field of the lattice, which all columns share, at a site of a block or a neighbour. Programs over the block do
// not exchange its halo, which must be valid, and its memory must not be swapped.
template <class E, int K>
struct OfLattice {
  Lent<E, K, kAxes> lent;

  struct Plane {
    E* p;
    Geometry<kAxes> geometry; // a copy: with a reference, the compiler replaces vector loads by gathers
    // Wraps around the end without a branch, which would prevent the vectorisation of rows.
    TS_HD int beside(const Site& n, int mu, int by) const {
      const int to = n.x[block_axis(mu)] + by;
      if (by == 0) return to;
      return to + geometry.round[mu] * (by > 0 ? -(to >= geometry.owned[mu]) : to < 0);
    }
    TS_HD E& operator()(const Site& n, int by_x = 0, int by_y = 0, int by_z = 0, int by_t = 0) const {
      const int x = n.x[0], y = beside(n, 1, by_y), z = beside(n, 2, by_z), t = beside(n, 3, by_t);
      const long row = y * geometry.stride[1] + z * geometry.stride[2] + t * geometry.stride[3];
      return p[Lent<E, K, kAxes>::place(Cell<kAxes>{geometry, row + x, {x, y, z, t}}, by_x, 0, 0, 0)];
    }
  };
  TS_HD Plane operator[](int k) const { return {lent.p + k * lent.component, lent.geometry}; }
};
template <class T, class E = typename Field<T>::Element>
auto of_lattice(const Field<T>& field) {
  constexpr int kAll = Field<T>::components, K = lies_by_rows(kAll) ? kAll : 1;
  return OfLattice<E, K>{lend<kAxes, T, E>(field)};
}
// Read-only.
template <class T>
auto from_lattice(const Field<T>& field) {
  return of_lattice<T, const typename Field<T>::Element>(field);
}

} // namespace tasuki::wilson

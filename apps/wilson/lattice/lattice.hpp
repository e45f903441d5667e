// The four-dimensional lattice, with sites by parity: a cell of the grid is a pair of sites, one even and one odd.
#pragma once

#include <tasuki/tasuki.hpp>

#include <array>
#include <string>
#include <type_traits>

namespace tasuki::wilson {

inline constexpr int kAxes = 4; // x, y, z, t

// A site (x, y, z, t) is even if x+y+z+t is. With row = y+z+t of a cell, the site of parity p in the cell at xh has
//   x = 2 xh + ((p + row) & 1),
// and its neighbours, all of the other parity, are in the same cell of the next row along y, z and t, and along x in
// its own cell or the next one.
template <class C>
TS_HD int row_parity(const C& c) {
  return static_cast<int>((c[1] + c[2] + c[3]) & 1);
}
// c[axis] of an owned cell, without the test whether it is beyond the lattice's edge.
template <class C>
TS_HD long along(const C& c, int axis) {
  return c[axis];
}
// A cell of a grid, or a derived type (WindowCell). Of two matching overloads, the more constrained one is called.
template <class C, int D>
concept CellOf = std::is_base_of_v<Cell<D>, C>;
TS_HD long along(const CellOf<kAxes> auto& c, int axis) { return c.geometry.origin[axis] + c.x[axis]; }
// The same without the test for the lattice's edge, since extents are even; this allows vectorisation of rows.
TS_HD int row_parity(const CellOf<kAxes> auto& c) {
  long sum = 0;
  for (int a = 1; a < kAxes; ++a) sum += c.geometry.origin[a] + c.x[a];
  return static_cast<int>(sum & 1);
}

// The lowest bit of x of the site of parity p, for row_parity(c) = row.
TS_HD int x_bit(int p, int row) { return (p + row) & 1; }

// The offset from a site's cell to that of its neighbour along x: forwards (x+1) and backwards (x-1).
TS_HD int forward_x(int bit) { return bit; }
TS_HD int backward_x(int bit) { return bit - 1; }

// The grid of a lattice of extents (x, y, z, t): {X/2, Y, Z, T}, periodic, halo 1. Throws Error if an extent is odd
// or below 2, and if Grid does.
class Lattice {
public:
  Lattice(World& world, const std::array<long, kAxes>& extents, const GridOptions& options = {});

  World& world() const { return grid_.world(); }
  const Grid<kAxes>& grid() const { return grid_; }
  const std::array<long, kAxes>& extents() const { return extents_; } // in sites
  long sites() const { return extents_[0] * extents_[1] * extents_[2] * extents_[3]; }
  Box owned() const; // this rank's sites, in global coordinates
  long owned_sites() const { return 2 * grid_.owned().cells(); }

private:
  std::array<long, kAxes> extents_;
  Grid<kAxes> grid_;
};

// The position of a site: its cell in this rank's block (x fastest), and its parity.
struct Place {
  long cell;
  int parity;
};
// Of the global site (x, y, z, t), for a rank that owns `sites`.
Place place_of(const Box& sites, const std::array<long, kAxes>& site);

} // namespace tasuki::wilson

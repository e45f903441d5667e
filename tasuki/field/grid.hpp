// A grid is a box of cells with 1 to 6 axes (kMaxDims), cut into blocks, one per rank.
//
//   ts::Grid<2> plate(world, {4096, 2048}, {.halo = 1, .periodic = {true, false}});
//   const ts::Region<2> inside = plate.inner(1); // all x, as x is periodic; y from 1 to 2046
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/field/bands.hpp>
#include <tasuki/field/decompose.hpp>
#include <tasuki/field/layout.hpp>

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

// A value for each axis: one for all axes, or a list, x first. The last value of a short list also applies to the remaining axes.
template <class T>
class PerAxis {
public:
  PerAxis(T all) { values_.fill(all); }
  PerAxis(std::initializer_list<T> list) {
    values_.fill(list.size() ? *(list.end() - 1) : T{});
    int a = 0;
    for (const T& value : list)
      if (a < kMaxDims) values_[a++] = value;
  }
  PerAxis(const std::array<T, kMaxDims>& values) : values_(values) {}
  const std::array<T, kMaxDims>& values() const { return values_; }

private:
  std::array<T, kMaxDims> values_;
};

// Halo width of each axis: 1, {1, 2} by axis, {{1, 2}, {0, 1}} by axis and side (below, above).
class Halo : public PerAxis<Width> {
public:
  using PerAxis<Width>::PerAxis;
  Halo(int all) : PerAxis<Width>(Width(all)) {}
};

// The choice of `--halo auto` for the grids of a program (model/halo_choice.hpp). Depth 0: not
// chosen yet; the grids have the halos of their options, and the choice is made from them.
struct HaloChoice {
  int depth = 0;                 // kDirectHalo: the halo that was asked for, not copied within a node
  std::string executor;          // the one for which it was chosen
  std::map<int, double> seconds; // predicted time of a step, by depth
};
using ChosenHalo = std::shared_ptr<const HaloChoice>; // null: no choice is made

struct GridOptions {
  Halo halo = 1;
  PerAxis<bool> periodic = false;
  // True: a periodic axis that is not cut has no halo; reads beyond one end wrap around to the other. This is for
  // fields of more than kMostPlanes components, whose values are long enough to pay for the index arithmetic.
  // x keeps its halo on a CPU, where rows are vectorised; every axis keeps it if --channel names a channel.
  PerAxis<bool> wraps = false;
  PerAxis<int> ranks = 0;                     // process grid; 0: Tasuki chooses
  std::vector<std::vector<long>> blocks = {}; // block sizes along each axis; empty: as even as possible
  Device* device = nullptr;                   // the device of its fields; null: the world's own
  ChosenHalo chosen = nullptr;                // the result of with_best_halo(); it overrides `halo`
};

// The data of a grid of any dimension, shared by the grid, its fields and its sweeps.
class GridCore {
public:
  // --halo and --ranks of the world's settings override the options. Collective.
  GridCore(World& world, int dims, const Index& extents, const GridOptions& options);
  // From an existing decomposition, with the rank of each block; settings are ignored. `halo`: as asked_halo(). Collective.
  GridCore(World& world, const Decomposition& cut, const Widths& halo, Device* device = nullptr);

  World& world() const { return world_; }
  Device& device() const { return device_; }
  int dims() const { return cut_.dims; }
  const Index& extents() const { return cut_.extents; }
  const Decomposition& cut() const { return cut_; }
  const Widths& halo() const { return halo_; }
  const Widths& asked_halo() const { return asked_halo_; } // the requested one, also along axes that wrap
  const ChosenHalo& chosen_halo() const { return chosen_; }
  bool periodic(int axis) const { return cut_.periodic[axis]; }
  Box all() const { return box_of(cut_.dims, cut_.extents); } // global cells
  Box owned() const { return cut_.block(world_.rank()); }     // global cells of this rank
  const Layout& layout() const { return layout_; }
  Layout layout_of(int rank) const;
  const Bands& bands() const { return bands_; } // of --halo direct; else there are none

  // The cells of `region` in this rank's block extended by `by`: see local_parts() of decompose.hpp.
  std::vector<Box> local_parts(const Box& region, const Widths& by) const;

private:
  World& world_;
  Device& device_;
  Decomposition cut_;
  Widths halo_, asked_halo_;
  ChosenHalo chosen_;
  Bands bands_;
  Layout layout_;
};

// A region is a box of global cells of a grid; a sweep runs over it.
template <int D>
struct Region {
  std::shared_ptr<GridCore> grid;
  Box box;
};

// Grid<2> grid(world, {4096, 4096}, {.halo = 1});
//
// Throws Error as decompose() does. Collective.
template <int D>
class Grid {
  static_assert(D >= 1 && D <= kMaxDims, "raise kMaxDims (tasuki/base/box.hpp) for more dimensions");

public:
  Grid(World& world, const std::array<long, D>& extents, const GridOptions& options = {}) {
    Index n{};
    for (int a = 0; a < D; ++a) n[a] = extents[a];
    core_ = std::make_shared<GridCore>(world, D, n, options);
  }
  // With the decomposition of another grid, or with that and one more axis: cells
  // at the same place then belong to the same rank. `device`: as in the options.
  Grid(World& world, const Decomposition& cut, const Widths& halo, Device* device = nullptr)
      : core_(std::make_shared<GridCore>(world, cut, halo, device)) {
    if (cut.dims != D)
      throw Error("a grid of " + std::to_string(D) + " axes was given a cut of " + std::to_string(cut.dims),
                  "give one of as many axes");
  }

  const std::shared_ptr<GridCore>& core() const { return core_; }
  World& world() const { return core_->world(); }
  Device& device() const { return core_->device(); }
  long extent(int axis) const { return core_->extents()[axis]; } // cells of the whole grid
  Box owned() const { return core_->owned(); }                   // the cells of this rank, in global indices
  // For a second grid with the same blocks: Grid(world, grid.cut(), grid.halo()).
  const Decomposition& cut() const { return core_->cut(); }
  const Widths& halo() const { return core_->asked_halo(); } // as requested, also along axes that wrap
  // The number of blocks along each axis, x first; their product is the number of ranks.
  std::array<int, D> ranks() const {
    std::array<int, D> r{};
    for (int a = 0; a < D; ++a) r[a] = core_->cut().ranks[a];
    return r;
  }

  Region<D> all() const { return {core_, core_->all()}; } // every cell
  // The cells at least `width` away from the grid's boundary. A periodic axis has no boundary.
  Region<D> inner(const Halo& width = 1) const {
    Box box = core_->all();
    for (int a = 0; a < D; ++a) {
      if (core_->periodic(a)) continue;
      box.lo[a] += width.values()[a].lo;
      box.hi[a] -= width.values()[a].hi;
    }
    return {core_, box};
  }
  // The cells lo <= i < hi along each axis, in global indices; those outside of the grid are left out.
  Region<D> box(const std::array<long, D>& lo, const std::array<long, D>& hi) const {
    Box box = core_->all();
    for (int a = 0; a < D; ++a) {
      box.lo[a] = lo[a];
      box.hi[a] = hi[a];
    }
    return {core_, intersect(box, core_->all())};
  }

private:
  std::shared_ptr<GridCore> core_;
};

} // namespace tasuki

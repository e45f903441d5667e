// Validity: up to which depth the halo of a field has the current values of its owners.
#pragma once

#include <tasuki/base/box.hpp>

#include <utility>
#include <vector>

namespace tasuki {

// Halo cells up to width[a] away along each axis, off the block along at most `order` axes at once (1: faces,
// 2: edges too, dims: corners too).
struct Depth {
  Widths width{};
  int order = 0;
  friend bool operator==(const Depth&, const Depth&) = default;
};

Depth least(const Depth& a, const Depth& b);
Depth most(const Depth& a, const Depth& b);
bool covers(const Depth& have, const Depth& need, int dims); // need of width 0 is always covered

// What ranks see of each other's cells, where all address a field's memory (CommonMemory).
enum class Everywhere {
  stale,  // cells were written since it was last synchronised
  synced, // all ranks see all cells
  in_use  // and a sweep has read them: until it is synchronised again some rank may be reading them still
};

// A field's halo may be valid to different depths in different parts of the grid: a sweep over the inner cells does not
// change the boundary's halo. The depths are stored by region, newest last; a new write to a region replaces its entry.
class Validity {
public:
  explicit Validity(const Box& grid = {}) : parts_{{grid, Depth{}}} {}

  Depth depth() const;                                 // valid everywhere
  void exchanged(const Depth& depth, int dims);        // every halo cell within depth is fresh now
  void written(const Box& region, const Depth& depth); // a sweep wrote the region, its halo to this depth
  void touched();                                      // written without the program: nothing is valid

  Everywhere everywhere() const { return everywhere_; }
  void synced() { everywhere_ = Everywhere::synced; }
  void read_anywhere() { everywhere_ = Everywhere::in_use; }

  friend bool operator==(const Validity&, const Validity&) = default;

private:
  std::vector<std::pair<Box, Depth>> parts_; // the first is the whole grid
  Everywhere everywhere_ = Everywhere::stale;
};

} // namespace tasuki

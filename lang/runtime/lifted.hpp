// A time loop that an executor of Tasuki runs: the arguments of tsk_lift, the grid of its arrays, its fields. Internal.
#pragma once

#include "lifted_sweep.hpp"
#include "objects.hpp"

#include <tasuki/program/program.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tasuki::xmp {

// The arguments of tsk_lift.
struct Asked {
  const tsk_lifted& lift;
  std::vector<ArrayObject*> arrays;
  const long* bounds;
  void* const* given;
  bool on_gpu = false; // the arrays' cells of the device's memory are meant

  // An array of translated text in that memory.
  tsk_array face(std::size_t array) const;

  // The dimensions of an array that are axes of the grid, x first.
  static std::vector<int> axes_of(const ArrayObject& array) {
    std::vector<int> dims;
    for (int d = array.face->dims; d-- > 0;)
      if (array.along[static_cast<std::size_t>(d)].dim >= 0) dims.push_back(d);
    return dims;
  }
  Box region(int nest) const {
    Box box{.dims = lift.dims};
    for (int a = 0; a < lift.dims; ++a) {
      const long* const range = bounds + 2 * (nest * lift.dims + lift.dims - 1 - a);
      box.lo[a] = range[0];
      box.hi[a] = std::max(range[0], range[1]);
    }
    return box;
  }
};

// The cut of the arrays as the decomposition of a grid, or the reason why there is none.
struct Cutting {
  Decomposition cut;
  std::string trouble;
};
Cutting cutting_of(const Asked& asked, World& world);

// The widest reads of any nest, by axis; axes along which one goes round an end become periodic. `trouble`: set if they
// exceed the arrays or a neighbour's block.
Widths reach_of(const Asked& asked, Decomposition& cut, std::string& trouble);

// The grid, fields and sweeps of the steps.
struct Made {
  std::shared_ptr<GridCore> grid;
  std::vector<LiftedField> fields; // by array
  Items items;
  std::vector<std::shared_ptr<LiftedSweep>> sweeps; // by nest; null for a swap
};
Made made_on(const Asked& asked, std::shared_ptr<GridCore> grid);

// Copies the arrays' own cells into the fields, and the written cells back into the arrays.
void fill(const Asked& asked, Made& made);
void bring_back(const Asked& asked, const Made& made);

} // namespace tasuki::xmp

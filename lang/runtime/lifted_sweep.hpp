// A nest of a time loop as a sweep of the core: its cells are done by a function of the translated C. Internal.
#pragma once

#include "translated.h"

#include <tasuki/program/sweep.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::xmp {

// An array of a time loop as a field: a dimension that is aligned is an axis of the grid, the last one x; the elements along all
// others are the components of a cell.
struct LiftedField {
  std::shared_ptr<FieldCore> core;
  std::vector<bool> axis;    // by dimension of the array: whether it is an axis
  std::vector<long> extents; // by dimension of the array

  // As translated text reaches it: `at` takes global subscripts. Of the memory that the field has now.
  tsk_array face() const;
};

// On the host: each box is cut into parts along its rows, as sweeps are, and threads do them in any order.
class LiftedSweep final : public SweepCore {
public:
  LiftedSweep(const tsk_nest& nest, const Box& region, const std::vector<LiftedField>& fields,
              void* const* given);

  // Its reductions of this rank's cells, as the last sweep has left them: by number, as many bytes as their types have.
  const char* result(int reduction) const { return results_[static_cast<std::size_t>(reduction)].data(); }

  void launch(Stream& stream, const std::vector<Box>& boxes, bool first) const override;
  std::unique_ptr<HostTask> host_task(const std::vector<Box>& boxes) const override;
  TiledLimits tiled_limits(TiledKind kind) const override;
  void launch_tiled(TiledKind, Stream&, TiledLaunch, int) const override {} // never possible

private:
  class Task;
  using Number = std::array<char, 16>; // of any type that has an order
  std::vector<Number> starts() const;
  long work(const std::vector<Box>& boxes) const;

  void (*cells_)(const tsk_cells*);
  std::vector<tsk_reduced> reduced_;
  mutable std::vector<Number> results_; // by reduction
  std::vector<LiftedField> fields_;     // by access
  void* const* given_;
  long read_bytes_ = 0; // of a cell
};

} // namespace tasuki::xmp

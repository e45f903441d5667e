// A loop nest of a time loop as a sweep: a function of the translated C program computes its cells. Internal.
#pragma once

#include "translated.h"

#include <tasuki/program/sweep.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::xmp {

// An array of a time loop as a field: its aligned dimensions are the axes of the grid, the last one x. The elements
// along all other dimensions are the components of a cell.
struct LiftedField {
  std::shared_ptr<FieldCore> core;
  std::vector<bool> axis;    // by dimension of the array: whether it is an axis
  std::vector<long> extents; // by dimension of the array

  // The field as an array of translated text, in its current memory: `at` is indexed by global subscripts.
  tsk_array face() const;
  int dimension(int of) const; // the array's, of an axis of the grid
};

// On the host each box is cut into parts along its rows, like that of other sweeps, and threads compute the parts. On a GPU a
// box is a kernel, and nothing is reduced.
class LiftedSweep final : public SweepCore {
public:
  LiftedSweep(const tsk_nest& nest, const Box& region, const std::vector<LiftedField>& fields,
              void* const* given);

  // A reduction over this rank's cells in the last sweep, by number, as a value of its type.
  const char* result(int reduction) const { return results_[static_cast<std::size_t>(reduction)].data(); }

  void launch(Stream& stream, const std::vector<Box>& boxes, bool first) const override;
  std::unique_ptr<HostTask> host_task(const std::vector<Box>& boxes) const override;
  TiledLimits tiled_limits(TiledKind kind) const override;
  void launch_tiled(TiledKind, Stream&, TiledLaunch, int) const override {} // never possible

private:
  class Task;
  using Place = std::array<long, kMaxDims>; // global indices, the outermost first
  using Cells = std::function<void(const Place& lo, const Place& hi, const std::vector<tsk_array>& arrays)>;
  // Calls done() for the cells of lo .. hi. Beyond an end of a periodic axis they are images of cells at the other end, and
  // have the indices of those, by arrays that are moved.
  void each_image(int axis, const Place& lo, const Place& hi, const std::vector<tsk_array>& arrays,
                  const Cells& done) const;
  std::vector<tsk_array> arrays() const; // in their present memories
  void launch_kernels(Stream& stream, const std::vector<Box>& boxes) const;
  using Number = std::array<char, 16>; // of any type with an order
  std::vector<Number> starts() const;
  long work(const std::vector<Box>& boxes) const;

  void (*cells_)(const tsk_cells*);
  const char* (*gpu_)(const tsk_cells*, const tsk_launch*);
  std::vector<tsk_reduced> reduced_;
  mutable std::vector<Number> results_; // by reduction
  std::vector<LiftedField> fields_;     // by access
  void* const* given_;
  long read_bytes_ = 0; // per cell
};

} // namespace tasuki::xmp

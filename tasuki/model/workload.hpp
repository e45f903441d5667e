// The work of a program's steps on one device when its grid is cut for n devices: cells, bytes, messages.
// Computed from the description and the cut only; nothing is run, and no communication takes place.
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/field/layout.hpp>
#include <tasuki/model/description.hpp>
#include <tasuki/route/kinds.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tasuki {

// The message of one device in one direction.
struct FaceLoad {
  std::array<int, kMaxDims> direction{};
  int to = 0; // the receiving rank; this rank itself along periodic axes that are not cut
  long bytes = 0;
  FaceShape shape = FaceShape::block;
  long row_bytes = 0; // contiguous bytes
  long near =
      0; // bytes that the neighbour reads where they lie (--halo direct); then `bytes` is 0, and a flag is sent
};

struct SweepLoad {
  std::string name;
  std::vector<FaceLoad> faces; // of the exchange before it; empty: none
  bool exchanges = false;
  long cells = 0, interior_cells = 0, rim_cells = 0;   // interior: cells that need no halo in transit
  double bytes = 0, interior_bytes = 0, rim_bytes = 0; // from and to memory; short rows cost whole sectors
  bool reduces = false;
  bool anywhere = false; // reads a field anywhere
  bool syncs = false;    // and a synchronisation of its space is before it
};

// A kind of step that occurs in the run.
struct StepLoad {
  std::vector<SweepLoad> sweeps;
  std::vector<std::vector<FaceLoad>> refreshes; // explicit exchanges of the program
  int calls = 0;                                // functions on the host
  double share = 0;                             // fraction of the steps of a long run
};

struct Workload {
  Decomposition cut;
  Widths halo{};
  int rank = 0;          // the rank with this load: the one that is expected to be the slowest
  Box block;             // the cells of that rank
  double memory = 0;     // bytes of all fields in the block
  double read_first = 0; // bytes of the fields that a step reads before it writes them
  // For kernels of many steps: bytes per cell of fields that change or are read at other cells, and of the
  // other fields; numbers that a cell reads and writes per step; offsets of reads.
  double slot_bytes = 0, fixed_bytes = 0, words = 0;
  int number_bytes = 4; // of a number of the fields that change
  int least_words = 0;  // of a cell, each access counted once: TiledLimits::words (device/tiled/columns.hpp)
  // Words of the fields that change which a cell moves where the cells of a column share their reads.
  double column_words = 0;
  double wave_reads = 0; // numbers that a cell reads from shared memory in a wave (device/kernel/wave.hpp)
  bool whole = true;     // every sweep does all cells of the grid
  bool direct = false;   // neighbours read each other's cells where they lie
  std::array<int, kMaxDims> reach{};
  double looks = 0; // evaluations of a reduction per step
  bool look_late = false, looks_in_kernels = true, look_told = false;
  std::vector<StepLoad> steps;

  // Averages per step.
  double mean(const std::function<double(const StepLoad&)>& of) const;
  double cells() const;
  double bytes() const;
  double sent(bool to_itself) const; // bytes
  double messages() const; // one per neighbour and exchange, and one to itself if it is its own neighbour
};

// The cut of the description's grid for `devices` devices; `ranks` as in DecompositionRequest. Throws Error as
// decompose() does.
Decomposition cut_for(const Description& program, int devices, const ExchangeCost& cost,
                      const std::array<int, kMaxDims>& ranks = {});

// The kind of connection between two ranks.
using Joining = std::function<PairKind(int, int)>;
Joining nodes_of(int devices); // `devices` consecutive ranks per node

// `joining` determines the slowest rank; without it all neighbours are equivalent.
Workload workload(const Description& program, const Decomposition& cut, Padding padding = Padding::gpu,
                  const Joining& joining = {});
// For this rank. Without `joining` all ranks are of one node.
Workload workload_of(int rank, const Description& program, const Decomposition& cut,
                     Padding padding = Padding::gpu, const Joining& joining = {});

} // namespace tasuki

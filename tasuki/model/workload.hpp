// What the steps of a program ask of one device when its grid is cut for n of them: cells, bytes, messages.
// From the description and the cut alone; nothing is run and no rank is asked.
#pragma once

#include <tasuki/field/decompose.hpp>
#include <tasuki/field/layout.hpp>
#include <tasuki/model/description.hpp>
#include <tasuki/route/kinds.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tasuki {

// What one device sends in one direction.
struct FaceLoad {
  std::array<int, kMaxDims> direction{};
  int to = 0; // the rank; its own where the grid wraps around an axis that is not cut
  long bytes = 0;
  FaceShape shape = FaceShape::block;
  long row_bytes = 0; // that lie together
};

struct SweepLoad {
  std::string name;
  std::vector<FaceLoad> faces; // of the exchange before it; empty: none
  bool exchanges = false;
  long cells = 0, interior_cells = 0, rim_cells = 0;   // interior: what needs no halo that is on its way
  double bytes = 0, interior_bytes = 0, rim_bytes = 0; // to and from memory; short rows cost whole sectors
  bool reduces = false;
};

// A step like others of the run.
struct StepLoad {
  std::vector<SweepLoad> sweeps;
  std::vector<std::vector<FaceLoad>> refreshes; // exchanges that the program asks for
  int calls = 0;                                // functions on the host
  double share = 0;                             // of the steps of a long run
};

struct Workload {
  Decomposition cut;
  Widths halo{};
  int rank = 0;          // whose load this is: the one that is expected to take longest
  Box block;             // its cells
  double memory = 0;     // bytes of all fields in it
  double read_first = 0; // and of those that a step reads before it writes them
  // What a kernel of many steps keeps: bytes a cell of the fields that change or are read beyond the cell,
  // and of the others; numbers that a cell reads and writes in a step; how far it reads.
  double slot_bytes = 0, fixed_bytes = 0, words = 0;
  std::array<int, kMaxDims> reach{};
  double looks = 0; // at a reduction, a step
  bool look_late = false, looks_in_kernels = true;
  std::vector<StepLoad> steps;

  // Averages a step.
  double mean(const std::function<double(const StepLoad&)>& of) const;
  double cells() const;
  double bytes() const;
  double sent(bool to_itself) const; // bytes
  double messages() const; // one a neighbour and exchange, and one to itself where it is its own neighbour
};

// The cut of the description's grid for `devices` devices; `ranks` as in DecompositionRequest. Throws Error as
// decompose() does.
Decomposition cut_for(const Description& program, int devices, const ExchangeCost& cost,
                      const std::array<int, kMaxDims>& ranks = {});

// What joins two ranks.
using Joining = std::function<PairKind(int, int)>;
Joining nodes_of(int devices); // `devices` consecutive ranks a node

// `joining` tells which rank is the busiest; without it all neighbours count alike.
Workload workload(const Description& program, const Decomposition& cut, Padding padding = Padding::gpu,
                  const Joining& joining = {});
// Of this rank.
Workload workload_of(int rank, const Description& program, const Decomposition& cut,
                     Padding padding = Padding::gpu);

} // namespace tasuki

// What the parts of tasuki-bench-space share: a figure and what stands beside it, clocks, waiting without a core.
//
//   std::vector<double> mine, mpi; // seconds, of a few repetitions in turns
//   keep({"a synchronisation, nothing written", times_of(mine), "MPI_Barrier", times_of(mpi)});
#pragma once

#include <tasuki/space/space.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace tasuki::bench {

struct Times { // seconds. On a machine that others use the least says more
  double median = 0, least = 0;
};
struct Figure {
  std::string name;
  Times space;
  std::string beside;
  Times other;      // of the same by what stands beside it
  double bytes = 0; // that travel, where a rate is of interest
};
using Keep = std::function<void(const Figure&)>;

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline Times times_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front()};
}

template <class Act>
double seconds_of(const Act& act) {
  const double began = now();
  act();
  return now() - began;
}

// Rank 0 acts, and the others leave it the cores: whoever waits in MPI takes one. Collective.
template <class Act>
void alone(const World& world, const Act& act) {
  if (world.rank() == 0) act();
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(world.comm(), &all);
  for (int done = 0; !done;) {
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

// The parts of the table. Each needs two ranks of two nodes.
void touches(Space& space, const Keep& keep);
void sections(Space& space, long bytes, int repetitions, const Keep& keep);
void again(Space& space, long bytes, int repetitions, const Keep& keep);
void synchronisations(Space& space, long dirty, int repetitions, const Keep& keep);
void points(Space& space, long planes, long width, int blocks, const Keep& keep); // 27, fp64, 4 steps a block
void fields(Space& space, long cells, long steps, const Keep& keep);

} // namespace tasuki::bench

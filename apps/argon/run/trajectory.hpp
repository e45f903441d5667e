// trajectory.h5: frames of the replicas, or of the temperatures, that were asked for.
//
// H5MD 1.1 (de Buyl, Colberg and Hoefling, Comput. Phys. Commun. 185, 1546 (2014)): particles/<name>/position with
// step, time and value [T, N, 3] in nm, box (edges by frame at constant pressure), observables/<name>/state and replica.
// <name> is replica_<r> (one replica's path, unwrapped) or state_<s> (whoever holds state s after the exchange of that
// step, inside of the box). particles/<name>/rows [1] tells how many frames are there by now.
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/run/options.hpp>
#include <tasuki/file/row_file.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

// What --trajectory asks for.
struct Frames {
  bool by_state = false;
  std::vector<int> numbers; // of replicas or states; empty: none
};

// "replicas:0,5", "temperatures:all", "none". Throws Error where it is none of these or names one that is not there.
Frames parse_frames(const std::string& text, int replicas);

RowLayout trajectory_layout(const Frames& frames, const Options& options, const System& system,
                            const std::string& version, long rows);

// Rank 0 writes, the owners send. Where no frames are asked for, nothing is done and there is no file.
class Trajectory {
public:
  Trajectory(World& world, const std::string& path, const Frames& frames, const RowLayout& layout, long row);

  // The next frame of each. Waits for the device. Collective.
  void add(const Replicas& replicas, const Exchange& exchange);
  void sync(); // returns when all frames are on the disk. Collective.

private:
  World& world_;
  Frames frames_;
  long row_;
  std::optional<RowFile> file_; // rank 0 has it
};

} // namespace tasuki::argon

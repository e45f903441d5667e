// trajectory.h5: frames of the selected replicas or temperatures.
//
// H5MD 1.1 (de Buyl, Colberg and Hoefling, Comput. Phys. Commun. 185, 1546 (2014)): particles/<name>/position with
// step, time and value [T, N, 3] in nm, box (edges by frame at constant pressure), observables/<name>/state and replica.
// <name> is replica_<r> (the path of one replica, unwrapped) or state_<s> (the replica that holds state s after the
// exchange at that step, wrapped into the box). particles/<name>/rows [1] is the present number of frames.
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/run/options.hpp>
#include <tasuki/file/row_file.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

// The selection of --trajectory.
struct Frames {
  bool by_state = false;
  std::vector<int> numbers; // of replicas or states; empty: none
};

// "replicas:0,5", "temperatures:all", "none". Throws Error for other texts, or for a number that does not exist.
Frames parse_frames(const std::string& text, int replicas);

RowLayout trajectory_layout(const Frames& frames, const Options& options, const System& system,
                            const std::string& version, long rows);

// Rank 0 writes, and the owners send the frames. Without a selection nothing is done and there is no file.
class Trajectory {
public:
  Trajectory(World& world, const std::string& path, const Frames& frames, const RowLayout& layout, long row);

  // Adds a frame for each. Waits for the device. Collective.
  void add(const Replicas& replicas, const Exchange& exchange);
  void sync(); // returns when all frames are on the disk. Collective.

private:
  World& world_;
  Frames frames_;
  long row_;
  std::optional<RowFile> file_; // on rank 0 only
};

} // namespace tasuki::argon

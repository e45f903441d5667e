// Constants of this machine, measured by `tasuki tune` or built in, and the times predicted from them.
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tasuki {

// The measured line of one route: an exchange of `bytes` with a neighbour takes latency + bytes / bandwidth.
struct Line {
  ChannelKind channel = ChannelKind::self;
  PeerMode mode = PeerMode::stores; // used by peer only
  FaceShape shape = FaceShape::block;
  long row_bytes = 0; // contiguous bytes of a row; 0: the whole face is contiguous
  PairKind pair = PairKind::self;
  double latency = 0;                          // s
  double bandwidth = 0;                        // bytes/s
  double rms = 0;                              // of the relative errors of the fit
  std::vector<std::pair<long, double>> points; // bytes, seconds
};

// Costs of the device and of its host without communication, in s and bytes/s. 0: not measured.
struct DeviceConstants {
  double stream_bandwidth = 0;   // one array is read and one is written
  double stream_bandwidth_2 = 0; // two arrays are read and one is written
  double launch = 0;             // time of the host to launch a sweep
  double dependent_launch = 0;   // time of the device between two short sweeps of a stream
  double synchronize = 0;        // time of the host to wait for a stream that has already ended
  double graph_node = 0;         // time of the device between two short sweeps of a CUDA graph
  double barrier = 0;            // of the host threads of a rank
  double meeting = 0;            // of neighbours that read each other's cells where they lie (--halo direct)
  double reduction_flat = 0;     // of a number over all ranks, by MPI alone
  double reduction_levels = 0;   // the same by the memory of each node, and by MPI between nodes
};

// What a space costs (docs/space.md): seconds and bytes a second between two nodes, 0 where it was not measured.
struct SpaceConstants {
  double touch = 0;             // of a page of another node, until it is there
  double section = 0;           // a preload, however short
  double section_bandwidth = 0; // of a long one
  double synchronisation = 0;   // with nothing written and no copies; of one node too
};

// The machine that a file of constants is valid for. Different machines have different keys.
struct Machine {
  std::string device; // host or cuda
  std::string device_name, cpu;
  int ranks_per_node = 1; // the largest number on a host
  int nodes = 1;          // number of hosts; for information, not a part of the key

  std::string key() const; // hexadecimal digits
};
Machine machine_of(const Device& device); // collective

class Tuning {
public:
  static constexpr int kSchema = 1;

  // From the file of --tuning or TASUKI_TUNING, otherwise from the file of this machine if it exists. A damaged file,
  // or one of another machine or version, is ignored with a message of rank 0. Throws Error if a named file does not
  // exist. A named file applies to the world's own device only: a host device beside a GPU uses the file of this
  // machine. The result is the same on every rank. Collective.
  static Tuning load(Device& device);
  // Constants for unmeasured routes: of no particular machine, accurate enough to choose among channels.
  static Tuning built_in(DeviceKind device);
  // From the JSON text of a file. Throws Error with the reason if it is not valid for this machine.
  static Tuning parse(const std::string& text, const Machine& machine);
  std::string json() const;
  // $XDG_CACHE_HOME/tasuki/tuning-KEY.json, or below ~/.cache.
  static std::string default_path(const Machine& machine);

  Machine machine;
  bool measured = false; // otherwise built in
  std::string path;      // of the file; empty if built in
  std::vector<Line> lines;
  DeviceConstants device;
  SpaceConstants space;

  // The predicted seconds of an exchange of `bytes` in rows of `row_bytes` (ignored for a block): by the line for this
  // row length, or interpolated between the next shorter and longer rows. Infinite if the channel cannot connect
  // such a pair, or if this mode was not measured.
  double predict(ChannelKind channel, FaceShape shape, long row_bytes, long bytes, PairKind pair,
                 PeerMode mode = PeerMode::stores) const;
  // The two parameters of this time: seconds independent of the bytes, and bytes/s.
  struct Cost {
    double latency, bandwidth;
    double seconds(long bytes) const { return latency + static_cast<double>(bytes) / bandwidth; }
  };
  Cost cost(ChannelKind channel, FaceShape shape, long row_bytes, PairKind pair, PeerMode mode) const;
};

// The constants of this run, loaded at the first use (which is collective) and kept with the device.
const Tuning& tuning(Device& device);
const Tuning& tuning(World& world); // of the world's own device

} // namespace tasuki

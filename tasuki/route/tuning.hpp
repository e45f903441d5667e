// Constants of this machine, measured by `tasuki tune` or built in, and the times that they predict.
#pragma once

#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tasuki {

// One way to travel: an exchange of `bytes` with a neighbour takes latency + bytes / bandwidth.
struct Line {
  ChannelKind channel = ChannelKind::self;
  PeerMode mode = PeerMode::stores; // of peer
  FaceShape shape = FaceShape::block;
  long row_bytes = 0; // contiguous bytes of a row; 0: block
  PairKind pair = PairKind::self;
  double latency = 0;                          // s
  double bandwidth = 0;                        // bytes/s
  double rms = 0;                              // of the relative errors of the fit
  std::vector<std::pair<long, double>> points; // bytes, seconds
};

// What the device and its host cost by themselves; seconds and bytes a second, 0 where it was not measured.
struct DeviceConstants {
  double stream_bandwidth = 0;   // one array read, one written
  double stream_bandwidth_2 = 0; // two read, one written
  double launch = 0;             // of the host, to launch a sweep
  double dependent_launch = 0;   // of the device, from one short sweep to the next in a stream
  double synchronize = 0;        // of the host, to wait for a stream that has just ended
  double graph_node = 0;         // of the device, from one short sweep to the next in a graph; CUDA
  double barrier = 0;            // of the host threads of a rank
};

// What a file of constants is good for. Files of other machines have another key.
struct Machine {
  std::string device; // host or cuda
  std::string device_name, cpu;
  int ranks_per_node = 1; // the most that a host has
  int nodes = 1;          // hosts; told, no part of the key

  std::string key() const; // hexadecimal digits
};
Machine machine_of(const Device& device); // collective

class Tuning {
public:
  static constexpr int kSchema = 1;

  // The file of --tuning, or TASUKI_TUNING, or else of this machine, where there is one; the same on every rank.
  // A file that is damaged, of another machine or of another version is not used, and rank 0 says so in a line.
  // Throws Error where a file is named and not there. A file that is named is the world's own device's: one of the host
  // beside a GPU has this machine's. Collective.
  static Tuning load(Device& device);
  // What is taken where nothing was measured: of no machine in particular, good for choosing among channels.
  static Tuning built_in(DeviceKind device);
  // From the JSON text of a file. Throws Error that says why it is not for this machine.
  static Tuning parse(const std::string& text, const Machine& machine);
  std::string json() const;
  // $XDG_CACHE_HOME/tasuki/tuning-KEY.json, or below ~/.cache.
  static std::string default_path(const Machine& machine);

  Machine machine;
  bool measured = false; // else built in
  std::string path;      // of the file, "" where built in
  std::vector<Line> lines;
  DeviceConstants device;

  // Seconds of an exchange of `bytes` in rows of `row_bytes` (not looked at for a block): of the line of this
  // row length, or between those of the next shorter and longer rows. Infinite where the channel does not join such
  // a pair or was not measured in that mode.
  double predict(ChannelKind channel, FaceShape shape, long row_bytes, long bytes, PairKind pair,
                 PeerMode mode = PeerMode::stores) const;
  // The two parts of it: seconds that do not depend on the bytes, and bytes a second.
  struct Cost {
    double latency, bandwidth;
    double seconds(long bytes) const { return latency + static_cast<double>(bytes) / bandwidth; }
  };
  Cost cost(ChannelKind channel, FaceShape shape, long row_bytes, PairKind pair, PeerMode mode) const;
};

// The constants of this run: loaded at first use, kept with the device. The first use is collective.
const Tuning& tuning(Device& device);
const Tuning& tuning(World& world); // of its own device

} // namespace tasuki

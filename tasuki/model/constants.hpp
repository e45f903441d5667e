// The performance constants of a machine, from which times are predicted.
#pragma once

#include <tasuki/route/tuning.hpp>

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace tasuki {

// Units: seconds, bytes, bytes per second; for one device and its host. Measurements of `tasuki tune` on this
// machine override the built-in values for a device of this name; a file of constants overrides both.
struct Constants {
  std::string name; // of the device
  Tuning tuning;    // costs of faces by channel
  bool cuda = false;

  double memory = 0;      // bytes/s that a sweep can stream from and to memory
  double cache = 0;       // bytes/s from and to the last-level cache of the whole device ..
  double cache_bytes = 0; // .. and its size
  double chip = 0; // the same for the memory of resident kernels near the arithmetic units: shared memory
  double chip_bytes = 0;      // and registers; on the host the caches of the cores
  double multiprocessors = 1; // of a GPU: each holds one tile of a resident kernel
  double word = 0;            // seconds of a multiprocessor per number read or written in its shared memory
  double tile_step = 0;       // seconds of a multiprocessor per step, independent of cells
  double link = 0;            // bytes/s between host and device memory, in each direction
  double launch = 0;          // host: to enqueue a kernel; on the host, a parallel region of a rank
  double gap = 0;             // device: between two kernels of a stream
  double graph_node = 0;      // device: between two kernels of a graph
  double start = 0;           // device: of a sweep however short: its loads, and behind them its stores
  double barrier = 0;         // device: synchronization of neighbouring tiles; on the host, of all threads
  double flag = 0;            // until a neighbour sees a flag that is stored in its memory
  double event = 0;           // host: to record an event, or to make a stream wait for it
  double reduce = 0;          // device: the additional cost of a reduction in a sweep
  double synchronize = 0;     // host: to synchronize with the device
  double collective = 0;      // host: one round of a reduction or barrier over all ranks
  double step = 0;            // host: to look up the plan of a step
  SpaceConstants space;       // of fields that sweeps read anywhere, and of studies
  int devices_a_node = 1;     // devices that can access each other's memory
  bool shared_memory =
      false; // the ranks of a node share `memory`, `cache` and `cache_bytes`, since they are on one host

  // The fraction of the bandwidth that a sweep of this name reaches: below 1 if something other than memory
  // limits it.
  std::map<std::string, double> efficiency;
  double usual_efficiency = 0.85; // of any other sweep
  double efficiency_of(const std::string& sweep) const;

  // The constants of the tuned machine or, without measurements, of a machine with such a device.
  static Constants of(const Tuning& tuning);
  // Built-in constants by the name of a device: "NVIDIA H200", "host". Generic ones if the name is unknown.
  static Constants named(const std::string& device);

  // Loads the constants of a file: {"schema": 1, "device": "NVIDIA H200", "memory": 4.3e12, .., "efficiency":
  // {"Relax": 0.9}, "lines": [{"channel", "pair", "latency", "bandwidth"}]}; a line may name its "shape",
  // "row_bytes" and "mode"; otherwise it applies to all shapes. Lines of a channel and pair replace all built-in
  // ones. Throws Error if the file has any other contents.
  static Constants load(const std::string& path);
  std::string json(const std::string& source) const; // the contents of such a file
};

// The member "space" of a file, {"touch": 43e-6, ..}; what it does not name stays. Throws Error where it says something else.
SpaceConstants space_constants_of(const nlohmann::json& json, SpaceConstants space);

} // namespace tasuki

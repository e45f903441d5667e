// What a machine costs: the constants that predictions are made of.
#pragma once

#include <tasuki/route/tuning.hpp>

#include <map>
#include <string>

namespace tasuki {

// Seconds, bytes, bytes a second; of one device and the host that drives it. What `tasuki tune` measured on
// this machine goes before what is built in for a device of its name, and a file of constants before both.
struct Constants {
  std::string name; // of the device
  Tuning tuning;    // how faces travel
  bool cuda = false;

  double memory = 0;      // bytes/s that a sweep streams from and to memory at best
  double cache = 0;       // bytes/s from and to the last cache that all of the device shares ..
  double cache_bytes = 0; // .. and what it holds
  double chip = 0; // the same of what a resident kernel keeps beside its arithmetic units: shared memory
  double chip_bytes = 0;      // and registers; on the host the caches of the cores
  double multiprocessors = 1; // of a GPU: each holds a tile of a resident kernel
  double word = 0;            // seconds of a multiprocessor for a number read or written in its shared memory
  double tile_step = 0;       // and for a step however few cells it has
  double link = 0;            // bytes/s between host and device memory, each way
  double launch = 0;          // host: to enqueue a kernel; a parallel region of a rank on the host
  double gap = 0;             // device: from one kernel of a stream to the next
  double graph_node = 0;      // device: the same in a graph
  double barrier = 0;         // device: neighbouring tiles tell each other; on the host, all threads meet
  double flag = 0;            // a flag that is stored at a neighbour is seen there
  double event = 0;           // host: to record an event or to let a stream wait for it
  double reduce = 0;          // device: what a reduction adds to a sweep
  double synchronize = 0;     // host: to wait for the device
  double collective = 0;      // host: a round of a reduction or barrier over all ranks
  double step = 0;            // host: to look up what a step does
  int devices_a_node = 1;     // that reach each other's memory
  bool shared_memory =
      false; // the ranks of a node share `memory`, `cache` and `cache_bytes`: they are one host's

  // The part of the bandwidth that a sweep of this name reaches: short of 1 where something else than memory
  // limits it.
  std::map<std::string, double> efficiency;
  double usual_efficiency = 0.85; // of any other sweep
  double efficiency_of(const std::string& sweep) const;

  // Of the machine that was tuned or, where nothing was measured, of one that has such a device.
  static Constants of(const Tuning& tuning);
  // Built in, by the name of a device: "NVIDIA H200", "host". Of the generic one where the name is not known.
  static Constants named(const std::string& device);

  // Takes the constants of a file: {"schema": 1, "device": "NVIDIA H200", "memory": 4.3e12, .., "efficiency":
  // {"Relax": 0.9}, "lines": [{"channel", "pair", "latency", "bandwidth"}]}; a line may name its "shape",
  // "row_bytes" and "mode", else it is for all shapes. Lines of a channel and pair replace all that are built
  // in. Throws Error where it says something else.
  static Constants load(const std::string& path);
  std::string json(const std::string& source) const; // such a file
};

} // namespace tasuki

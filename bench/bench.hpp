// What the benchmarks share: the devices they run on, their sizes, and how one is timed.
//
// Names are WHAT/WHO/DEVICE/SIZE: WHO is tasuki, or plain for the same loop by hand. Times are of one step.
#pragma once

#include <tasuki/tasuki.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace tasuki::bench {

struct Sizes {
  long stream = 0;                 // bytes of an array
  long laplace = 0;                // cells along each axis
  std::vector<std::string> himeno; // S, M, L
  long diffusion = 0;              // cells along each axis
};

// The world of a device: made when it is first asked for, instead of the one before.
World& world_on(DeviceKind kind);

inline const char* name_of(DeviceKind kind) { return kind == DeviceKind::cuda ? "cuda" : "host"; }

// Steps timed together, so that what starts and ends them does not count: launches are short on a GPU.
inline long steps_together(DeviceKind kind) { return kind == DeviceKind::cuda ? 50 : 1; }

// Counts what one step moves and computes.
void count(benchmark::State& state, double cells, double bytes_a_cell);

void register_streams(DeviceKind kind, const Sizes& sizes);  // stream.cpp, stream_cuda.cu
void register_stencils(DeviceKind kind, const Sizes& sizes); // stencils.cpp: Tasuki's
void register_plain_host(const Sizes& sizes);                // plain.cpp: by hand
void register_plain_cuda(const Sizes& sizes);                // plain_cuda.cu: by hand

// Registers a benchmark that times itself.
template <class F>
void add(const std::string& name, long iterations, F f) {
  benchmark::RegisterBenchmark(name.c_str(), f)
      ->Iterations(iterations)
      ->Repetitions(3)
      ->DisplayAggregatesOnly()
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

} // namespace tasuki::bench

// The predicted time of a step: by part, by executor, on any number of devices.
#pragma once

#include <tasuki/model/costs.hpp>

#include <limits>
#include <string>
#include <vector>

namespace tasuki {

struct Prediction {
  std::string executor;
  int halo = 0;         // its depth
  Parts parts;          // seconds per step, the mean over a long run
  std::string not_here; // why the executor cannot run this program there; else empty

  bool possible() const { return not_here.empty(); }
  double seconds() const { return possible() ? parts.total() : std::numeric_limits<double>::infinity(); }
};

// The cut of the description's grid for `devices` devices, with the constants' number of devices per node.
Decomposition cut_for(const Description& program, int devices, const Constants& constants,
                      const std::array<int, kMaxDims>& ranks = {});

// Throws Error if there is no such executor.
Prediction predict(const Workload& load, const std::string& executor, const Constants& constants,
                   const Joining& joining, const Forced& forced = {});

// The program on n devices. Throws Error as decompose() does.
Prediction predict(const Description& program, int devices, const std::string& executor,
                   const Constants& constants, const std::array<int, kMaxDims>& ranks = {},
                   const Forced& forced = {});

// The program on the present ranks, in a run with these looks; `halo`: a hypothetical halo depth, 0: the present
// one. Needs no communication; every rank gets the same result.
Prediction predict(const Program& program, const std::string& executor, int halo, const Tuning& tuning,
                   const Looks& looks = {});

// The possible ones, sorted by time; equal ones keep their order.
std::vector<Prediction> fastest_first(std::vector<Prediction> predictions);

// The halo depth from 1 to `most` with the least predicted time per step. At least what the program reads; no
// depth exceeds a block. Needs no communication; every rank gets the same result.
int best_halo(const Description& program, int devices, const std::string& executor,
              const Constants& constants, int most = 16);

} // namespace tasuki

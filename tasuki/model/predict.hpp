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
  Parts parts;          // seconds a step, the mean over a long run
  std::string not_here; // why the executor cannot do this program there; else empty

  bool possible() const { return not_here.empty(); }
  double seconds() const { return possible() ? parts.total() : std::numeric_limits<double>::infinity(); }
};

// The cut of the description's grid for `devices` of these devices, in nodes as the constants say.
Decomposition cut_for(const Description& program, int devices, const Constants& constants,
                      const std::array<int, kMaxDims>& ranks = {});

// Throws Error where there is no such executor.
Prediction predict(const Workload& load, const std::string& executor, const Constants& constants,
                   const Joining& joining, const Forced& forced = {});

// The program on n devices. Throws Error as decompose() does.
Prediction predict(const Description& program, int devices, const std::string& executor,
                   const Constants& constants, const std::array<int, kMaxDims>& ranks = {},
                   const Forced& forced = {});

// The program as it is, on the ranks that are there, in a run that looks so; `halo`: were its halos so deep, 0: as they
// are. Asks no rank, and every rank finds the same.
Prediction predict(const Program& program, const std::string& executor, int halo, const Tuning& tuning,
                   const Looks& looks = {});

// Those that are possible, by time; equals as they were.
std::vector<Prediction> fastest_first(std::vector<Prediction> predictions);

// The depth of halo, 1 to `most`, with the least predicted time a step. At least what the program reads; no
// depth is wider than a block. Asks no rank, and every rank finds the same.
int best_halo(const Description& program, int devices, const std::string& executor,
              const Constants& constants, int most = 16);

} // namespace tasuki

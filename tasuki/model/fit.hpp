// Constants fitted to measurements.
#pragma once

#include <tasuki/model/constants.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tasuki {

struct Sample {
  std::function<double(const Constants&)> predicted; // seconds
  double measured = 0;                               // seconds
};

// A quantity of the constants that may be scaled.
struct Knob {
  std::string name;
  std::function<void(Constants&, double factor)> scale;
};
// The costs of launched, recorded and resident steps, of the caches and of channels to peers; not of the
// memory, which the efficiencies scale. `sweeps`: the sweeps whose efficiency may change.
std::vector<Knob> usual_knobs(const std::vector<std::string>& sweeps);

struct Fitted {
  double before = 0, after = 0;                        // root mean square of log(predicted / measured)
  std::vector<std::pair<std::string, double>> factors; // of the knobs
};

// Adjusts the knobs to minimize the mean of the squared logarithms of the ratios of predictions to
// measurements. A knob that no measurement depends on is not changed.
// Throws Error if there are no measurements.
Fitted fit(Constants& constants, const std::vector<Sample>& samples, const std::vector<Knob>& knobs);

} // namespace tasuki

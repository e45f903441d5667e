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

// Something of the constants that may be scaled.
struct Knob {
  std::string name;
  std::function<void(Constants&, double factor)> scale;
};
// What a launched, a recorded and a resident step are made of, the caches, and how peers are reached: not the
// memory, which the efficiencies scale. `sweeps`: those whose efficiency may change.
std::vector<Knob> usual_knobs(const std::vector<std::string>& sweeps);

struct Fitted {
  double before = 0, after = 0;                        // root mean square of log(predicted / measured)
  std::vector<std::pair<std::string, double>> factors; // of the knobs
};

// Turns the knobs until the predictions are as near to the measurements as they get, in the mean of the
// squared logarithms of their ratios. A knob that the measurements say nothing about stays where it is.
// Throws Error where there are no measurements.
Fitted fit(Constants& constants, const std::vector<Sample>& samples, const std::vector<Knob>& knobs);

} // namespace tasuki

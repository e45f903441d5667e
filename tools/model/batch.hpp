// Measured steps, each with its prediction.
#pragma once

#include <tasuki/model/fit.hpp>
#include <tasuki/model/predict.hpp>
#include <tools/model/table.hpp>

#include <string>
#include <vector>

namespace tasuki::model {

class Batch {
public:
  // From lines of JSON: {"words": ["himeno", "--size", "M"], "devices": 2, "executor": "eager", "seconds":
  // 1e-4, "ranks": [1, 1, 2], "halo": 1}; the last two may be left out. "-": from standard input. Throws
  // Error.
  Batch(World& world, const std::string& path, const Constants& constants);

  // Makes the constants agree with all measurements, as near as they can.
  Fitted fit();
  // Without it the sweeps of a program and size are made to agree with its measurement on one device, unless the table
  // is to be of the constants as they are.
  Table table(bool as_they_are = false) const;
  const Constants& constants() const { return constants_; }
  std::size_t size() const { return steps_.size(); }

private:
  struct Step {
    std::vector<std::string> words;
    std::string executor;
    int devices = 1;
    double seconds = 0;
    std::string not_here; // why there is nothing to predict
    Workload load;
    Joining joining;

    double predicted(const Constants& c) const;
  };
  const Step* alone(const Step& step) const; // the measurement on one device of the same

  Constants constants_;
  bool fitted_ = false;
  std::vector<Step> steps_;
};

} // namespace tasuki::model

// State that a run of a program leaves for later runs of the same program object: the choice of `auto`, and graphs.
//   Choice& choice = Kept::of(program).choices[looks];
#pragma once

#include <tasuki/device/graph.hpp>
#include <tasuki/model/description.hpp>
#include <tasuki/program/plan.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

// The executor that a trial selected, and the one that the model selected.
struct Choice {
  std::string tried, predicted;
};
using Choices = std::map<Looks, Choice>; // by the way a run evaluates reductions

using Steps = std::vector<PlannedStep*>;

// A sequence of steps without a call, and the graph that executes it.
struct Stretch {
  Steps steps;
  std::vector<std::shared_ptr<Exchange>> exchanges; // in the order of execution
  std::vector<int> free;                            // for each exchange: see Exchange::start
  std::unique_ptr<Graph> graph;
};

// Graphs of stretches. Planned steps are cached, so a stretch is identified by its steps, with memories and validities.
struct Stretches {
  std::vector<std::unique_ptr<Stretch>> made;
  long size = 0; // steps per graph of a long stretch; 0: not yet known
};

struct Kept final : KeptByRuns {
  Choices choices;
  Stretches stretches;

  static Kept& of(const Program& program) {
    auto& kept = program.planner().kept;
    if (!kept) kept = std::make_unique<Kept>();
    return static_cast<Kept&>(*kept); // only this room stores an object here
  }
};

} // namespace tasuki

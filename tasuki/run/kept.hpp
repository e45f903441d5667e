// What a run of a program leaves for the next run of it, as long as the program lives: what `auto` found, and graphs.
//   Choice& choice = Kept::of(program).choices[{looks.every, looks.late, looks.in_kernels}];
#pragma once

#include <tasuki/device/graph.hpp>
#include <tasuki/program/plan.hpp>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tasuki {

// The executor that a trial found, or the model.
struct Choice {
  std::string tried, predicted;
};
using Choices = std::map<std::tuple<long, bool, bool>, Choice>; // by how a run looks

using Steps = std::vector<PlannedStep*>;

// Steps one after another without a call, and the graph that does them.
struct Stretch {
  Steps steps;
  std::vector<std::shared_ptr<Exchange>> exchanges; // in their order
  std::vector<int> free;                            // of each: see Exchange::start
  std::unique_ptr<Graph> graph;
};

// Steps are planned once, and what they were when their graph was made, memories and validities, is what names them.
struct Stretches {
  std::vector<std::unique_ptr<Stretch>> made;
  long size = 0; // steps of a graph in a long stretch; 0: not known yet
};

struct Kept final : KeptByRuns {
  Choices choices;
  Stretches stretches;

  static Kept& of(const Program& program) {
    auto& kept = program.planner().kept;
    if (!kept) kept = std::make_unique<Kept>();
    return static_cast<Kept&>(*kept); // no other room keeps anything
  }
};

} // namespace tasuki

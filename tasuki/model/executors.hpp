// The cost models of executors: one row for each row of base/executors.hpp.
#pragma once

#include <tasuki/base/executors.hpp>
#include <tasuki/model/costs.hpp>

#include <functional>
#include <string>

namespace tasuki {

struct StepCost {
  std::string not_here;                          // why the executor cannot run the program there; else empty
  std::function<Parts(const StepLoad&)> of = {}; // seconds; uses the Costs, which must outlive it
};

struct ExecutorModel {
  ExecutorKind kind;
  Begun begun;
  StepCost (*cost)(const Costs& costs);
};

// Throws Error if there is no such executor.
const ExecutorModel& model_of(const std::string& executor);

} // namespace tasuki

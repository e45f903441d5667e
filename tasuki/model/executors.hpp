// What a step costs each executor: a row for each of base/executors.hpp.
#pragma once

#include <tasuki/base/executors.hpp>
#include <tasuki/model/costs.hpp>

#include <functional>
#include <string>

namespace tasuki {

struct StepCost {
  std::string not_here;                          // why the executor cannot do the program there; else empty
  std::function<Parts(const StepLoad&)> of = {}; // seconds; the Costs that it was made of have to live
};

struct ExecutorModel {
  ExecutorKind kind;
  Begun begun;
  StepCost (*cost)(const Costs& costs);
};

// Throws Error where there is no such executor.
const ExecutorModel& model_of(const std::string& executor);

} // namespace tasuki

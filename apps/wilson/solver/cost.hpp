// The cost of a solve for given options: operations and memory.
#pragma once

#include <apps/wilson/solver/solver.hpp>

namespace tasuki::wilson {

// Per iteration and even site.
double flops_of(Method method);

// Bytes of device memory per rank for a block with these sites, including halos, in addition to the gauge field and
// the fields that are passed to the solver.
double memory_of_solver(const std::array<long, kAxes>& sites, const SolveOptions& options);

} // namespace tasuki::wilson

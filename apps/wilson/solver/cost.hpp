// What a solve costs, by its options: operations and memory.
#pragma once

#include <apps/wilson/solver/solver.hpp>

namespace tasuki::wilson {

// Of an iteration, on an even site.
double flops_of(Method method);

// Bytes of device memory that a rank needs for a block of so many sites, halos and all, beside the gauge field and the
// fields that a solver is given.
double memory_of_solver(const std::array<long, kAxes>& sites, const SolveOptions& options);

} // namespace tasuki::wilson

// Sweeps of a step that can be done at the same time, such as the sums of several columns.
//
//   for (std::size_t k = 0; k < step.ops.size(); k += count) {
//     count = sweeps_abreast(step.ops, k);   // sweeps k to k + count - 1, if it is more than 1
//     ..
//   }
#pragma once

#include <tasuki/program/plan.hpp>

#include <cstddef>
#include <vector>

namespace tasuki {

// The number of operations from `first` on that neither need nor change what another of them changes; 1 if it is none but
// the first. They are sweeps with the same cell function that only read and reduce, each with reductions of its own and
// without an exchange. Other sweeps stay in order, since their cells may contain lent fields, which a program does not see.
std::size_t sweeps_abreast(const std::vector<PlannedOp>& ops, std::size_t first);

} // namespace tasuki

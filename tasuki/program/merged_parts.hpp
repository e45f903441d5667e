// The parts of all ranks of reductions, of which each rank has read its own.
#pragma once

#include <tasuki/program/reduction.hpp>

namespace tasuki::detail {

// `parts`: this rank's, one for each reduction. The result is as that of parts_of_all(). Collective.
std::vector<std::vector<char>> merged_parts(World& world, const std::vector<ReductionCore*>& reductions,
                                            std::vector<std::vector<char>> parts);

} // namespace tasuki::detail

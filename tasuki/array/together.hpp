// The ranks that take part in an operation on several arrays.
#pragma once

#include <tasuki/array/array.hpp>

#include <optional>
#include <vector>

namespace tasuki {

// The ranks of all these nodes; none if the calling rank is not one of them. Called by all of them.
std::optional<Ranks> together(World& world, const std::vector<const Nodes*>& nodes);

} // namespace tasuki

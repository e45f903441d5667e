// Who takes part in what is done to several arrays at once.
#pragma once

#include <tasuki/array/array.hpp>

#include <optional>
#include <vector>

namespace tasuki {

// The ranks of all these nodes; none where the calling rank is none of them. Called by all of them.
std::optional<Ranks> together(World& world, const std::vector<const Nodes*>& nodes);

} // namespace tasuki

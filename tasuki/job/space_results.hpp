// The costs of the arrays of a space, as results of a record.
//
//   record.results.merge(space_results(space.costs()));    // "space.a.touches": 812, "space.a.waited s": 0.4, ..
#pragma once

#include <tasuki/file/record.hpp>
#include <tasuki/space/space.hpp>

#include <vector>

namespace tasuki {

Values space_results(const std::vector<SpaceCost>& costs);

} // namespace tasuki

// Constants made to agree with a measurement.
#pragma once

#include <tasuki/model/constants.hpp>

#include <functional>
#include <optional>

namespace tasuki {

// Scales how much of the bandwidth the sweeps reach until predicted(constants) is `measured` seconds, and
// returns the factor. Nothing where no factor explains the measurement, since the sweeps are not what takes
// the time: the constants are then left as they were.
std::optional<double> calibrate(Constants& constants, double measured,
                                const std::function<double(const Constants&)>& predicted);

} // namespace tasuki

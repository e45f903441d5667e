// Adjusts constants so that a prediction agrees with a measurement.
#pragma once

#include <tasuki/model/constants.hpp>

#include <functional>
#include <optional>

namespace tasuki {

// Scales the efficiency of the sweeps until predicted(constants) is `measured` seconds, and returns the
// factor. None if no factor explains the measurement, because the sweeps do not dominate the time:
// then the constants are unchanged.
std::optional<double> calibrate(Constants& constants, double measured,
                                const std::function<double(const Constants&)>& predicted);

} // namespace tasuki

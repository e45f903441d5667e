// What a device and its host cost by themselves.
#pragma once

#include <tasuki/route/tuning.hpp>

namespace tasuki::tune {

// On all ranks at once, as they work in a run; the slowest counts. quick: over less memory, fewer times. Collective.
DeviceConstants measure_device(World& world, bool quick);

} // namespace tasuki::tune

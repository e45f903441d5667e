// What a space costs here: a touch, a section, a synchronisation.
#pragma once

#include <tasuki/route/tuning.hpp>

namespace tasuki::tune {

// One rank of each node reads the memory of the next node, all at once; the slowest counts. Without other nodes only a
// synchronisation is measured. quick: less memory, fewer times. Collective.
SpaceConstants measure_space(World& world, bool quick);

} // namespace tasuki::tune

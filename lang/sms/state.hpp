// The world and the space of a program of SMS, for the sources of its library. Internal.
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/space/space.hpp>

namespace tasuki::sms {

bool runs(); // between sms_startup and sms_shutdown
World& world();
Space& space(); // throws Error where none runs

// Makes the shared arrays of all translated units, in the order in which they were linked.
void make_units();

} // namespace tasuki::sms

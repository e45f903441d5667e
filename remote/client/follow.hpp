// A stream of one device waits for an event of another's.
//
//   follow(here, stream, there, event);   // returns at once
//
// The stream is held until the other device reports what the event was last recorded behind, and what comes next in it is done then.
#pragma once

#include <remote/client/virtual_device.hpp>

namespace tasuki::remote {

void follow(VirtualDevice& device, u64 stream, VirtualDevice& other, u64 event);

} // namespace tasuki::remote

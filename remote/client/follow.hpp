// A stream of one device waits for an event of another's.
//
//   follow(here, stream, there, event);   // returns at once
//
// The stream stops until the other device has done what the event was last recorded behind. Its worker tells this one's, by the
// link between them; where there is none, it tells the client.
#pragma once

#include <remote/client/virtual_device.hpp>

namespace tasuki::remote {

void follow(VirtualDevice& device, u64 stream, VirtualDevice& other, u64 event);

} // namespace tasuki::remote

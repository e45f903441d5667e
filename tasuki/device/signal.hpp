// Flags that ranks of one node raise for each other, on streams.
#pragma once

#include <tasuki/device/buffer.hpp>

#include <cstdint>
#include <vector>

namespace tasuki {

using Flag = std::uint32_t; // a sequence number that only grows (and may wrap around)

// Everything enqueued on the stream before is visible to whoever sees the flags at `value`. `flags` are in this
// rank's or in a peer's SharedBuffer.
void raise(Stream& stream, const std::vector<Flag*>& flags, Flag value);

// What is enqueued on the stream later waits until every one of `flags`, in this rank's own SharedBuffer, has
// reached `value` (as int(flag - value) >= 0). On a GPU the host does not wait: stream memory operations, or a
// waiting kernel of one thread where the device has none. `what` names it in an error.
void await(Device& device, Stream& stream, const std::vector<Flag*>& flags, Flag value, const char* what);

// Whether the host would have to wait in await() now: never on a GPU, whose stream does the waiting.
bool would_wait(const Stream& stream, const std::vector<Flag*>& flags, Flag value);

} // namespace tasuki

// Flags that ranks of one node raise for each other, on streams.
#pragma once

#include <tasuki/device/buffer.hpp>

#include <cstdint>
#include <vector>

namespace tasuki {

using Flag = std::uint32_t; // a sequence number that only grows (and may wrap around)

// A flag that is waited for, and the rank that raises it (for an error; -1: unknown).
struct Awaited {
  Flag* flag = nullptr;
  int rank = -1;
};

// Who counts the turns of an exchange. Of the host: every turn is enqueued with its number. Of the device: the number
// lies in the memory of the GPU and its kernels read it, so that what was enqueued once can be done many times (a CUDA
// graph). A host device counts by itself in either case.
enum class Turns { host, device };

// Everything enqueued on the stream before is visible to whoever sees the flags at `value`. `flags` are in this
// rank's or in a peer's SharedBuffer, or in pinned memory.
void raise(Stream& stream, const std::vector<Flag*>& flags, Flag value);

// What is enqueued on the stream later waits until every one of `flags`, in this rank's own SharedBuffer or in pinned
// memory, has reached `value` (as int(flag - value) >= 0). On a GPU the host does not wait: stream memory operations,
// or a waiting kernel of one warp where the device has none. `what` names it in an error.
void await(Device& device, Stream& stream, const std::vector<Awaited>& flags, Flag value, const char* what);

// Whether the host would have to wait in await() now: never on a GPU, whose stream does the waiting.
bool would_wait(const Stream& stream, const std::vector<Awaited>& flags, Flag value);

// A turn that the device counts, from 0.
class DeviceTurn {
public:
  DeviceTurn() = default;
  explicit DeviceTurn(Device& device) : words_(device, 2 * sizeof(Flag)) {}
  Flag* word() const { return reinterpret_cast<Flag*>(words_.data()); }
  // Of the blocks of a kernel that have done their part of a turn; 0 between kernels.
  unsigned* blocks() const { return word() + 1; }

private:
  Buffer words_;
};

// The same as above for the turn that comes, which is one more than the turn that was. Each is a kernel of one warp for
// every 32 flags; none of them is a memory operation, so all of them can stand in a graph.
void raise_next(Stream& stream, const std::vector<Flag*>& flags, const DeviceTurn& turn);
void await_next(Device& device, Stream& stream, const std::vector<Awaited>& flags, const DeviceTurn& turn);
// The same, and the turn that comes has been: to be enqueued last in every exchange. `flags` may be empty.
void await_last(Device& device, Stream& stream, const std::vector<Awaited>& flags, const DeviceTurn& turn);

} // namespace tasuki

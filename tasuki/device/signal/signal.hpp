// Flags by which ranks of one node signal each other, in the order of streams.
#pragma once

#include <tasuki/device/buffer.hpp>

#include <cstdint>
#include <vector>

namespace tasuki {

using Flag = std::uint32_t; // a sequence number that only increases (modulo 2^32)

// A flag to wait for, and the rank that raises it (for error messages; -1: unknown).
struct Awaited {
  Flag* flag = nullptr;
  int rank = -1;
};

// Where the turns of an exchange are counted. host: every turn is enqueued with its number. device: the number is in
// device memory and is read by kernels, so that recorded work can be executed many times (a CUDA graph). A host device
// keeps its own count in both cases.
enum class Turns { host, device };

// Work enqueued earlier on the stream is visible to a reader that sees the flags at `value`. `flags` are in this
// rank's or a peer's SharedBuffer, or in pinned memory.
void raise(Stream& stream, const std::vector<Flag*>& flags, Flag value);

// Work enqueued later on the stream starts after every flag has reached `value` (int(flag - value) >= 0). The flags are
// in this rank's own SharedBuffer or in pinned memory. On a GPU the host is not blocked: stream memory operations wait,
// or a kernel of one warp if the device does not support them. `what` names the event in error messages.
void await(Device& device, Stream& stream, const std::vector<Awaited>& flags, Flag value, const char* what);

// Whether await() would block the host now: never on a GPU, where the stream waits.
bool would_wait(const Stream& stream, const std::vector<Awaited>& flags, Flag value);

// A turn that is counted on the device, from 0.
class DeviceTurn {
public:
  DeviceTurn() = default;
  explicit DeviceTurn(Device& device) : words_(device, 2 * sizeof(Flag)) {}
  Flag* word() const { return reinterpret_cast<Flag*>(words_.data()); }
  // Counts the blocks of a kernel that have done their part of a turn; 0 between kernels.
  unsigned* blocks() const { return word() + 1; }

private:
  Buffer words_;
};

// Like raise() and await(), for the next turn, i.e. the last turn + 1. Each is a kernel of one warp per 32 flags, and
// not a memory operation, so that it can be recorded in a graph.
void raise_next(Stream& stream, const std::vector<Flag*>& flags, const DeviceTurn& turn);
void await_next(Device& device, Stream& stream, const std::vector<Awaited>& flags, const DeviceTurn& turn);
// Like await_next(); also completes the turn. Must be enqueued last in every exchange. `flags` may be empty.
void await_last(Device& device, Stream& stream, const std::vector<Awaited>& flags, const DeviceTurn& turn);

} // namespace tasuki

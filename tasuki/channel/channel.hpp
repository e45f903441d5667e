// A channel moves bytes from the memory of one rank to that of another. It
// handles ranks and strided boxes of bytes; it is independent of grids and fields.
//
//   auto channel = row_of(ChannelKind::mpi).make(device, {.outgoing = {{1, {{cells}}}}, .incoming = {{1, {{halo}}}}});
//   channel->start(stream);
//   channel->finish(stream);      // work that is enqueued later sees the halo
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/channel/channels.hpp>
#include <tasuki/device/copy.hpp>

#include <optional>
#include <vector>

namespace tasuki {

// A strided box of a message.
struct MessagePart {
  Strided here;    // in this rank's memory: the sent cells, or the cells that receive them
  Strided there{}; // for channels that store: the receiving cells, at this rank's address for them
  PeerMode mode = PeerMode::stores; // of peer; with `pack`, `there` is not used

  // The size of the part in a packed message, rounded up so that the next part begins at a
  // multiple of 8 bytes: a sum made while packing is written as one number of up to 8 bytes.
  long packed_bytes() const { return (here.bytes() + 7) / 8 * 8; }
};

// All that goes to a rank, or comes from it. Both ends list the same parts in the same order.
struct Message {
  int rank = 0;
  std::vector<MessagePart> parts;
};

// The messages of a channel: at most one to each rank, and at most one from it.
struct ChannelSetup {
  std::vector<Message> outgoing, incoming;
  Turns turns = Turns::host; // device: a CUDA graph can contain what the channel enqueues
  int tag = 0; // the same on all ranks; distinguishes the messages of channels that are in use at once
  std::optional<Ranks> among =
      {}; // of the communicator for messages, while Message::rank is of the world; default: all
};

// Made once, used for many turns; start() and finish() are called alternately, in the same order on every rank.
class Channel {
public:
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Messages include work enqueued on the stream before. Does not wait on the host. `free`: all ranks
  // know that nothing uses the memory that this turn fills; then no rank asks (turns of the device only).
  virtual void start(Stream& stream, bool free = false) = 0;
  virtual void finish(Stream& stream) = 0; // work enqueued later sees what arrived
  virtual void whole(Stream& stream, bool free = false) {
    start(stream, free);
    finish(stream);
  }

  // start() and finish() in three parts: between open() and close() threads of the host share copies() among them.
  virtual void open(Stream& stream) { start(stream); }
  virtual const CopyPlan* copies() const { return nullptr; } // null: there is nothing to share
  virtual void close(Stream& stream) { finish(stream); }

  // On the host: this rank does not use the memory that the next turn fills before that turn.
  virtual void free_ahead(Stream&) {}

protected:
  Channel() = default;
};

} // namespace tasuki

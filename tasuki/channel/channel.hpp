// What a channel is: a way for bytes to get from one rank's memory to another's. It knows ranks and strided bytes, and
// nothing of grids and fields.
//
//   auto channel = row_of(ChannelKind::mpi).make(device, {.outgoing = {{1, {{cells}}}}, .incoming = {{1, {{halo}}}}});
//   channel->start(stream);
//   channel->finish(stream);      // what is enqueued later sees the halo
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/channel/channels.hpp>
#include <tasuki/device/copy.hpp>

#include <optional>
#include <vector>

namespace tasuki {

// A strided box of a message.
struct MessagePart {
  Strided here;    // of this rank's memory: what is sent, or where it lands
  Strided there{}; // of a channel that stores, what is sent: where it lands, as this rank addresses it
  PeerMode mode = PeerMode::stores; // of peer; of `pack` nobody reads `there`

  // What it takes of a packed message: the next part begins where a number of 8 bytes may lie, since a sum that is made
  // on the way is written as one.
  long packed_bytes() const { return (here.bytes() + 7) / 8 * 8; }
};

// Everything that goes to a rank, or comes from it. Both ends list the same parts in the same order.
struct Message {
  int rank = 0;
  std::vector<MessagePart> parts;
};

// What a channel is made for: to a rank, and from it, one message at most.
struct ChannelSetup {
  std::vector<Message> outgoing, incoming;
  Turns turns = Turns::host; // of the device: what the channel enqueues can stand in a CUDA graph
  int tag = 0; // the same on all ranks; tells messages apart that several channels have under way
  std::optional<Ranks> among =
      {}; // whose communicator messages take, as Message::rank is of the world; none: all's
};

// Made once, used for many turns; start() and finish() are called in turn, in the same order on every rank.
class Channel {
public:
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Whatever was enqueued on the stream before is in it. Does not wait on the host. `free`: all ranks know that nobody
  // touches what this fills; then nobody asks (turns of the device only).
  virtual void start(Stream& stream, bool free = false) = 0;
  virtual void finish(Stream& stream) = 0; // what is enqueued later sees what came
  virtual void whole(Stream& stream, bool free = false) {
    start(stream, free);
    finish(stream);
  }

  // start() and finish() in three parts: between open() and close() threads of the host share copies() among them.
  virtual void open(Stream& stream) { start(stream); }
  virtual const CopyPlan* copies() const { return nullptr; } // null: there is nothing to share
  virtual void close(Stream& stream) { finish(stream); }

  // On the host: nothing here touches what the next turn fills before that turn.
  virtual void free_ahead(Stream&) {}

protected:
  Channel() = default;
};

} // namespace tasuki

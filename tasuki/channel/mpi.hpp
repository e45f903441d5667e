// The channel between nodes: one packed message per neighbour, by persistent MPI requests. A GPU-aware MPI gets device
// memory. Otherwise the message goes through pinned memory: the device packs into it, or a packed copy is copied to it.
//
// With a courier, its threads send and receive, and a stream waits for them. Without one, the host waits in finish().
#pragma once

#include <tasuki/channel/channel.hpp>
#include <tasuki/channel/courier.hpp>

namespace tasuki {

class MpiChannel final : public Channel {
public:
  // A long message is cut into settings().lanes pieces. The host counts the turns, so a CUDA graph cannot contain
  // the work that start() and finish() enqueue.
  MpiChannel(Device& device, const ChannelSetup& setup);

  void start(Stream& stream,
             bool free = false) override; // packs; sends at once if packing is already complete
  void finish(Stream& stream) override;   // without a courier the host waits for the messages

private:
  struct Side {
    CopyPlan pack, unpack;
  };
  void send();
  void wait_for_messages();
  void hold_back(); // waits on the host if it is too many turns ahead

  Device& device_;
  std::shared_ptr<Courier> courier_;
  bool stages_; // the device packs into its own memory, and the result is copied to the host
  Buffer send_buffer_, receive_buffer_; // of all sides, as addresses of the device
  Buffer send_staging_, receive_staging_;
  std::vector<Side> sides_;
  Flag turn_ = 0;

  // If there is a courier.
  Buffer flags_; // `packed`, then `arrived` of each courier thread, in separate cache lines
  std::vector<Flag*> packed_;
  std::vector<Awaited> arrived_;
  std::vector<std::unique_ptr<Delivery>> deliveries_;

  // If there is none.
  Haul::Side own_;
  Event packing_;
  bool sent_ = false;
};

} // namespace tasuki

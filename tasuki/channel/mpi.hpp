// The channel between nodes: one packed message a neighbour over persistent MPI requests, from device memory where the
// MPI says that it is GPU-aware, else staged through pinned memory that the device packs into, or where it cannot is copied to.
//
// With a courier the messages are its threads' and a stream waits for them; without one the host waits in finish().
#pragma once

#include <tasuki/channel/channel.hpp>
#include <tasuki/channel/courier.hpp>

namespace tasuki {

class MpiChannel final : public Channel {
public:
  // A long message is cut into settings().lanes pieces. The host counts the turns: what start() and finish() enqueue
  // cannot stand in a CUDA graph.
  MpiChannel(Device& device, const ChannelSetup& setup);

  void start(Stream& stream,
             bool free = false) override; // packs; sends at once where packing is done already
  void finish(Stream& stream) override;   // without a courier the host waits for what comes

private:
  struct Side {
    CopyPlan pack, unpack;
  };
  void send();
  void wait_for_messages();
  void hold_back(); // the host, where it is too many turns ahead

  Device& device_;
  std::shared_ptr<Courier> courier_;
  bool stages_; // the device packs into memory of its own, which is copied to the host
  Buffer send_buffer_, receive_buffer_; // of all sides, as the device sees them
  Buffer send_staging_, receive_staging_;
  std::vector<Side> sides_;
  Flag turn_ = 0;

  // With a courier.
  Buffer flags_; // packed, then what each of its threads raises, in lines of their own
  std::vector<Flag*> packed_;
  std::vector<Awaited> arrived_;
  std::vector<std::unique_ptr<Delivery>> deliveries_;

  // Without one.
  Haul::Side own_;
  Event packing_;
  bool sent_ = false;
};

} // namespace tasuki

// The channel within a node: the sender stores cells directly into the neighbour's memory.
//
// Each pair of ranks has two flags, which hold the number of an exchange: `free` (all earlier work of the receiver has
// read its halo, which may now be overwritten) and `full` (the sender's cells have arrived).
//
// There are three modes, chosen per neighbour: a kernel stores the cells one by one, the copy engine makes pitched
// copies, or the cells are packed, copied as a whole to a buffer of the receiver, and unpacked by the receiver.
#pragma once

#include <tasuki/channel/channel.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/device/signal/signal.hpp>

#include <memory>

namespace tasuki {

class PeerChannel final : public Channel {
public:
  // Collective over the node. With Turns::device, a CUDA graph can contain the work that start() and finish() enqueue.
  PeerChannel(Device& device, const ChannelSetup& setup);

  void start(Stream& stream, bool free = false) override; // stores at once if the receivers' halos are free
  void finish(Stream& stream) override;
  void whole(Stream& stream, bool free = false) override; // start() and finish(), in fewer kernels

  void open(Stream& stream) override;
  const CopyPlan* copies() const override { return &copies_; }
  void close(Stream& stream) override;
  void free_ahead(Stream& stream) override;

private:
  void take_turn(Stream& stream);
  void make_mailbox(const ChannelSetup& setup);
  void write(Stream& stream);
  void store(Stream& stream);
  bool start_next(Stream& stream, bool free, bool ends);

  Device& device_;
  SharedBuffer flags_; // of each rank: the `free` flag of each peer, then the `full` flag of each peer
  CopyPlan copies_;
  EngineCopies pitched_;
  // For the mode `pack`: pack_ fills outbox_, ship_ copies it to the receiver's inbox_, unpack_ fills the halo.
  Buffer outbox_;
  std::unique_ptr<SharedBuffer> inbox_; // any rank of the node can write into it
  CopyPlan pack_, unpack_;
  EngineCopies ship_;
  std::vector<Flag*> free_there_, full_there_;
  std::vector<Awaited> free_here_, full_here_;
  Turns turns_;
  Flag turn_ = 0, freed_ = 0; // freed_: the last turn for which this rank's halo was declared free
  DeviceTurn device_turn_;
  bool stored_ = false;
};

} // namespace tasuki

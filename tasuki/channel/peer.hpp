// The channel within a node: cells are stored straight into the neighbour's memory.
//
// Two flags a pair of ranks, sequence numbers that grow with every exchange: `free` (the receiver's halo may be
// overwritten: all that it enqueued before has read it) and `full` (the sender's cells are there).
//
// Cells get there in three ways, which may differ by neighbour: stored one by one by a kernel, copied in pitched pieces
// by the copy engine, or packed, copied in one piece to a buffer of the receiver, and unpacked by it.
#pragma once

#include <tasuki/channel/channel.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/device/signal/signal.hpp>

#include <memory>

namespace tasuki {

class PeerChannel final : public Channel {
public:
  // Collective over the node. Turns of the device: what start() and finish() enqueue can stand in a CUDA graph.
  PeerChannel(Device& device, const ChannelSetup& setup);

  void start(Stream& stream, bool free = false) override; // stores at once where the receivers are ready
  void finish(Stream& stream) override;
  void whole(Stream& stream, bool free = false) override; // both, in fewer kernels

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
  SharedBuffer flags_; // of each rank: free[peer], then full[peer]
  CopyPlan copies_;
  EngineCopies pitched_;
  // What is packed: by pack_ into outbox_, by ship_ into the receiver's inbox_, by unpack_ into its halo.
  Buffer outbox_;
  std::unique_ptr<SharedBuffer> inbox_; // where any rank of the node packs
  CopyPlan pack_, unpack_;
  EngineCopies ship_;
  std::vector<Flag*> free_there_, full_there_;
  std::vector<Awaited> free_here_, full_here_;
  Turns turns_;
  Flag turn_ = 0, freed_ = 0; // freed_: the turn that this rank's halo was last free for
  DeviceTurn device_turn_;
  bool stored_ = false;
};

} // namespace tasuki

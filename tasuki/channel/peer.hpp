// The channel within a node: cells are stored straight into the neighbour's memory.
//
// Two flags a pair of ranks, sequence numbers that grow with every exchange: `free` (the receiver's halo may be
// overwritten: all that it enqueued before has read it) and `full` (the sender's cells are there).
//
// Cells get there in three ways, which may differ by neighbour: stored one by one by a kernel, copied in pitched pieces
// by the copy engine, or packed, copied in one piece to a buffer of the receiver, and unpacked by it.
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/device/signal/signal.hpp>

#include <memory>

namespace tasuki {

class PeerChannel {
public:
  struct Outgoing {
    int node_rank;
    std::vector<CopyPair> stored, copied; // from this rank's memory to the peer's
    std::vector<Strided> packed;          // in the order in which sender and receiver both list them
  };
  struct Incoming {
    int node_rank;
    std::vector<Strided> packed;
  };

  // Collective over the node. Turns of the device: what start() and finish() enqueue can stand in a CUDA graph.
  PeerChannel(Device& device, std::vector<Outgoing> outgoing, const std::vector<Incoming>& incoming,
              Turns turns = Turns::host);

  // Stores at once where the receivers are ready. `free`: they are known to be, and everyone knows it: nobody asks
  // (turns of the device only).
  void start(Stream& stream, bool free = false);
  void finish(Stream& stream);                   // what is enqueued later sees the halo
  void whole(Stream& stream, bool free = false); // both, in fewer kernels

  // On the host. The halo is free for the turn that comes: nothing here touches it before that.
  void free_ahead(Stream& stream);
  // start() and finish() in three parts, for threads that share the copies among them.
  void open(Stream& stream);
  const CopyPlan& copies() const { return copies_; }
  void close(Stream& stream);

private:
  void take_turn(Stream& stream);
  void make_mailbox(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming);
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

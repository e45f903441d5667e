// The channel within a node: cells are stored straight into the neighbour's memory.
//
// Two flags a pair of ranks, sequence numbers that grow with every exchange: `free` (the receiver's halo may be
// overwritten: all that it enqueued before has read it) and `full` (the sender's cells are there).
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/device/signal.hpp>

#include <memory>

namespace tasuki {

class PeerChannel {
public:
  struct Outgoing {
    int node_rank;
    std::vector<CopyPair> pairs; // from this rank's memory to the peer's
  };

  // Collective over the node. `sources`: node ranks that store into this rank's memory. Turns of the device: what
  // start() and finish() enqueue can stand in a CUDA graph.
  PeerChannel(Device& device, std::vector<Outgoing> outgoing, const std::vector<int>& sources,
              Turns turns = Turns::host);

  void start(Stream& stream);  // stores at once where the receivers are ready
  void finish(Stream& stream); // what is enqueued later sees the halo

  // On the host. The halo is free for the turn that comes: nothing here touches it before that.
  void free_ahead(Stream& stream);
  // start() and finish() in three parts, for threads that share the copies among them.
  void open(Stream& stream);
  const CopyPlan& copies() const { return copies_; }
  void close(Stream& stream);

private:
  void take_turn(Stream& stream);
  void store(Stream& stream);

  Device& device_;
  SharedBuffer flags_; // of each rank: free[peer], then full[peer]
  CopyPlan copies_;
  std::vector<Flag*> free_there_, full_there_;
  std::vector<Awaited> free_here_, full_here_;
  Turns turns_;
  Flag turn_ = 0, freed_ = 0; // freed_: the turn that this rank's halo was last free for
  DeviceTurn device_turn_;
  bool stored_ = false;
};

} // namespace tasuki

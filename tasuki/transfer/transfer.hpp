// Boxes of bytes on their way from rank to rank, everything for one neighbour by one channel in one message.
//
//   const Parcel there{.from = 0, .to = 1, .route = {ChannelKind::mpi}, .sent = cells};     // rank 0
//   const Parcel here{.from = 0, .to = 1, .route = {ChannelKind::mpi}, .landing = halo};    // rank 1
//   Transfer transfer(device, {there});        // set up once, by all ranks, also those with no parcels
//   transfer.whole(device.stream());           // done many times
#pragma once

#include <tasuki/channel/channel.hpp>
#include <tasuki/transfer/parcel.hpp>

#include <array>
#include <memory>
#include <vector>

namespace tasuki {

// Made and destroyed by all ranks together, or by some of them, that take messages of their own and no memory of a node.
class Transfer {
public:
  // Turns of the device: what it enqueues can stand in a CUDA graph. Throws Error, on all ranks, where a parcel's
  // channel needs the host for that; and on the rank that lists it where a parcel is none of this rank's.
  Transfer(Device& device, const std::vector<Parcel>& parcels, Turns turns = Turns::host);
  // Between these ranks, and the others take no part: Transfer(device, subset(world, {0, 2}), parcels). Throws Error where
  // some ranks alone list a parcel for a channel of a node's ranks.
  Transfer(Device& device, const Ranks& ranks, const std::vector<Parcel>& parcels, Turns turns = Turns::host);

  // Whether the channels of these parcels cannot be used for such turns.
  static bool refuses(const Device& device, const std::vector<Parcel>& parcels, Turns turns);

  // Whatever was enqueued on the stream before is in it; whatever is enqueued later than finish() sees what came.
  // What a rank sends itself goes by wrap(), the rest by start() and finish(); in any order.
  // `free`: all ranks know that nobody touches what this fills between a transfer that it follows() and this one; then
  // nobody asks (turns of the device only).
  void wrap(Stream& stream);
  void start(Stream& stream, bool free = false);
  void finish(Stream& stream);
  void whole(Stream& stream, bool free = false); // the three of them, in fewer kernels

  // All of it by a team of host threads that are there already: open() by one, share() by all, close() by one.
  void open(Stream& stream);
  void share(int part, int parts) const;
  void close(Stream& stream);
  long shared_cost() const; // of what share() does, in bytes of long runs
  // On the host: nothing touches what this fills from here on until it is done next.
  void free_ahead(Stream& stream);

  // Whoever has finished `earlier` has heard in it from every rank that this one stores into.
  bool follows(const Transfer& earlier) const;

  long bytes(ChannelKind kind) const {
    return legs_[static_cast<std::size_t>(kind)].bytes;
  } // that this rank sends
  long messages(ChannelKind kind) const { return legs_[static_cast<std::size_t>(kind)].messages; }

private:
  // What goes by one channel.
  struct Leg {
    std::unique_ptr<Channel> channel; // null: nothing here
    long bytes = 0, messages = 0;
  };
  std::array<Leg, kChannels.size()> legs_; // by ChannelKind
  bool counted_by_device_ = false;
  std::vector<int> receivers_,
      senders_; // that are stored into, and that store into this one: ranks, in order
};

} // namespace tasuki

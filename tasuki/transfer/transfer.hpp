// A transfer moves boxes of bytes between ranks; everything for one neighbour by one channel is one message.
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

// Collective over all ranks, or over some of them, which then have separate messages and share no memory of a node.
class Transfer {
public:
  // With Turns::device, a CUDA graph can contain the enqueued work. Throws Error on all ranks if the channel of
  // a parcel needs the host for that, and on the rank that lists a parcel that is neither from nor to this rank.
  Transfer(Device& device, const std::vector<Parcel>& parcels, Turns turns = Turns::host);
  // Between these ranks only: Transfer(device, subset(world, {0, 2}), parcels). Throws
  // Error if they are not all ranks and a parcel goes by a channel for the ranks of a node.
  Transfer(Device& device, const Ranks& ranks, const std::vector<Parcel>& parcels, Turns turns = Turns::host);

  // True if a channel of these parcels cannot be used for such turns.
  static bool refuses(const Device& device, const std::vector<Parcel>& parcels, Turns turns);

  // A transfer includes work enqueued on the stream before it; work enqueued after finish() sees
  // the received bytes. wrap() moves what a rank sends to itself, start() and finish() the rest;
  // in any order. `free`: on all ranks, the memory that this transfer fills is not in use between
  // an earlier transfer that it follows() and this one; then no rank asks (Turns::device only).
  void wrap(Stream& stream);
  void start(Stream& stream, bool free = false);
  void finish(Stream& stream);
  void whole(Stream& stream, bool free = false); // the three of them, in fewer kernels

  // The whole transfer by an existing team of host threads: one calls open(), all call share(), one calls close().
  void open(Stream& stream);
  void share(int part, int parts) const;
  void close(Stream& stream);
  long shared_cost() const; // of share(), in bytes of long runs
  // On the host: this rank does not use the memory that this transfer fills before its next turn.
  void free_ahead(Stream& stream);

  // True if a rank that finished `earlier` received in it a message from every rank into which this one stores.
  bool follows(const Transfer& earlier) const;

  long bytes(ChannelKind kind) const {
    return legs_[static_cast<std::size_t>(kind)].bytes;
  } // sent by this rank
  long messages(ChannelKind kind) const { return legs_[static_cast<std::size_t>(kind)].messages; }

private:
  // The messages of one channel.
  struct Leg {
    std::unique_ptr<Channel> channel; // null: no messages
    long bytes = 0, messages = 0;
  };
  std::array<Leg, kChannels.size()> legs_; // by ChannelKind
  bool counted_by_device_ = false;
  std::vector<int> receivers_,
      senders_; // ranks into which this one stores, and ranks that store into it, in order
};

} // namespace tasuki

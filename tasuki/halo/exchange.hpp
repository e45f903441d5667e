// Which boxes of which fields go to which neighbour, corners included, and their journey.
#pragma once

#include <tasuki/channel/mpi.hpp>
#include <tasuki/channel/peer.hpp>
#include <tasuki/channel/self.hpp>
#include <tasuki/field/field.hpp>
#include <tasuki/route/route.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

// A field whose halo is wanted up to a depth.
struct HaloNeed {
  std::shared_ptr<FieldCore> field;
  Depth depth;
};

// What one rank sends in one direction, for reports.
struct Face {
  std::array<int, kMaxDims> direction{}; // -1, 0, +1 along each axis
  int from = 0, to = 0;                  // ranks
  ChannelKind channel = ChannelKind::self;
  PeerMode mode = PeerMode::stores; // of peer
  long bytes = 0;
  std::string shape; // block: one run; block-stride: rows of several cells; stride: a cell a row
};

// One exchange of the halos of some fields of a grid, as their memories lie now: set up once, done many times.
// Everything for one neighbour by one channel is one message. Made and destroyed by all ranks together.
class Exchange {
public:
  // Turns of the device: what it enqueues can stand in a CUDA graph. Throws Error, on all ranks, where it cannot.
  explicit Exchange(const std::vector<HaloNeed>& needs, Turns turns = Turns::host);

  // Whatever was enqueued on the stream before is in it; whatever is enqueued later than finish() sees the halos.
  // What a rank sends itself goes by wrap(), the rest by start() and finish(); in any order.
  // `free`: all ranks know that nobody touches the halos that this fills between an exchange that it follows() and this
  // one; then nobody asks (turns of the device only).
  void wrap(Stream& stream);
  void start(Stream& stream, bool free = false);
  void finish(Stream& stream);
  void whole(Stream& stream, bool free = false); // the three of them, in fewer kernels

  // All of it by a team of host threads that are there already: open() by one, share() by all, close() by one.
  void open(Stream& stream);
  void share(int part, int parts) const;
  void close(Stream& stream);
  long shared_cost() const; // of what share() does, in bytes of long runs
  // On the host: nothing touches these halos from here on until the exchange is done next.
  void free_ahead(Stream& stream);

  // Whoever has finished `earlier` has heard in it from every rank that this one stores into.
  bool follows(const Exchange& earlier) const;

  const std::vector<Face>& faces() const { return faces_; }
  long bytes(ChannelKind kind) const { return bytes_[static_cast<int>(kind)]; } // that this rank sends
  long messages(ChannelKind kind) const { return messages_[static_cast<int>(kind)]; }
  double predicted() const { return predicted_; } // seconds, by the constants of this run

private:
  std::vector<Face> faces_;
  std::array<long, kChannelNames.size()> bytes_{}, messages_{};
  double predicted_ = 0;
  bool counted_by_device_ = false;
  std::vector<int> receivers_, senders_; // of peer: ranks, in order
  std::unique_ptr<SelfChannel> self_;
  std::unique_ptr<PeerChannel> peer_;
  std::unique_ptr<MpiChannel> mpi_;
};

} // namespace tasuki

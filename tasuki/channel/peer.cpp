#include <tasuki/channel/peer.hpp>

#include <algorithm>

namespace tasuki {
namespace {

long packed_bytes(const Message& message) {
  long bytes = 0;
  for (const MessagePart& part : message.parts)
    if (part.mode == PeerMode::pack) bytes += part.packed_bytes();
  return bytes;
}

long aligned(long bytes) { return (bytes + 255) / 256 * 256; }

// Calls visit(box, packed form) for each packed box of the message; the packed forms are consecutive from `place`.
template <class Visit>
void each_packed(const Message& message, char* place, const Visit& visit) {
  for (const MessagePart& part : message.parts) {
    if (part.mode != PeerMode::pack) continue;
    visit(part.here, packed(part.here, place));
    place += part.packed_bytes();
  }
}

} // namespace

std::unique_ptr<Channel> make_peer(Device& device, ChannelSetup setup) {
  return std::make_unique<PeerChannel>(device, setup);
}

PeerChannel::PeerChannel(Device& device, const ChannelSetup& setup)
    : device_(device),
      flags_(device, 2 * sizeof(Flag) * device.world().node_size()),
      turns_(device.cuda() ? setup.turns : Turns::host) {
  const World& world = device.world();
  const int n = world.node_size(), me = world.node_rank();
  const auto flags_of = [&](int node_rank) {
    return reinterpret_cast<Flag*>(node_rank == me ? flags_.data() : flags_.peer(node_rank));
  };
  std::vector<CopyPair> stored, copied;
  for (const Message& out : setup.outgoing) {
    for (const MessagePart& part : out.parts) {
      if (part.mode == PeerMode::pack) continue;
      // A host device has no copy engine, and copy engines cannot add.
      const bool by_engine =
          device.cuda() && part.mode == PeerMode::copy2d && part.here.combine == Combine::none;
      (by_engine ? copied : stored).push_back({part.here, part.there});
    }
    const int node_rank = world.node_rank_of(out.rank);
    free_here_.push_back({flags_of(me) + node_rank, out.rank});
    full_there_.push_back(flags_of(node_rank) + n + me);
  }
  for (const Message& in : setup.incoming) {
    const int node_rank = world.node_rank_of(in.rank);
    free_there_.push_back(flags_of(node_rank) + me);
    full_here_.push_back({flags_of(me) + n + node_rank, in.rank});
  }
  copies_ = CopyPlan(device, std::move(stored));
  pitched_ = EngineCopies(device, std::move(copied));
  make_mailbox(setup);
  if (turns_ == Turns::device) device_turn_ = DeviceTurn(device);
}

void PeerChannel::free_ahead(Stream& stream) {
  freed_ = turn_ + 1;
  raise(stream, free_there_, freed_);
}

void PeerChannel::take_turn(Stream& stream) {
  ++turn_;
  stored_ = false;
  if (freed_ == turn_) return;
  freed_ = turn_;
  raise(stream, free_there_, freed_);
}

void PeerChannel::open(Stream& stream) {
  take_turn(stream);
  await(device_, stream, free_here_, turn_, "a neighbour's halo to be free");
}

void PeerChannel::close(Stream& stream) {
  write(stream);
  raise(stream, full_there_, turn_);
  await(device_, stream, full_here_, turn_, "a neighbour's halo cells");
  unpack_.enqueue(stream);
}

// Allocates the inbox, ordered by sender, and sends each sender its position in the inbox.
void PeerChannel::make_mailbox(const ChannelSetup& setup) {
  const World& world = device_.world();
  const auto place_of = [&](int rank) { return static_cast<std::size_t>(world.node_rank_of(rank)); };
  long sent = 0, received = 0;
  std::vector<long> places(static_cast<std::size_t>(world.node_size()), 0), theirs(places.size());
  for (const Message& out : setup.outgoing) sent += aligned(packed_bytes(out));
  for (const Message& in : setup.incoming) {
    places[place_of(in.rank)] = received;
    received += aligned(packed_bytes(in));
  }
  long any = std::max(sent, received);
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_LONG, MPI_MAX, world.node_comm());
  if (any == 0) return;
  MPI_Alltoall(places.data(), 1, MPI_LONG, theirs.data(), 1, MPI_LONG, world.node_comm());
  inbox_ = std::make_unique<SharedBuffer>(device_, static_cast<std::size_t>(received));
  outbox_ = Buffer(device_, static_cast<std::size_t>(sent));

  std::vector<CopyPair> pack, ship, unpack;
  char* at = outbox_.data();
  for (const Message& out : setup.outgoing) {
    const long bytes = packed_bytes(out);
    if (bytes == 0) continue;
    each_packed(out, at, [&](const Strided& cells, const Strided& dense) { pack.push_back({cells, dense}); });
    char* const there = inbox_->peer(world.node_rank_of(out.rank)) + theirs[place_of(out.rank)];
    ship.push_back({{at, bytes}, {there, bytes}});
    at += aligned(bytes);
  }
  for (const Message& in : setup.incoming)
    each_packed(in, inbox_->data() + places[place_of(in.rank)],
                [&](const Strided& cells, const Strided& dense) {
                  unpack.push_back({dense, cells});
                });
  pack_ = CopyPlan(device_, std::move(pack));
  ship_ = EngineCopies(device_, std::move(ship));
  unpack_ = CopyPlan(device_, std::move(unpack));
}

// Enqueues all copies that are not in copies_. The receiver's memory must be free.
void PeerChannel::write(Stream& stream) {
  pack_.enqueue(stream);
  pitched_.enqueue(stream);
  ship_.enqueue(stream);
}

void PeerChannel::store(Stream& stream) {
  await(device_, stream, free_here_, turn_, "a neighbour's halo to be free");
  copies_.enqueue(stream);
  write(stream);
  raise(stream, full_there_, turn_);
  stored_ = true;
}

// With Turns::device. True if it has enqueued the whole turn, which is possible only if `ends` is true.
bool PeerChannel::start_next(Stream& stream, bool free, bool ends) {
  Handshake signals;
  signals.raise_then = full_there_;
  if (!free) {
    signals.raise_first = free_there_;
    signals.await_first = free_here_;
  }
  const bool stores_only = pitched_.empty() && pack_.empty() && unpack_.empty();
  if (stores_only) {
    if (ends) {
      signals.await_last = full_here_;
      signals.ends = true;
    }
    if (copies_.enqueue_between(device_, stream, signals, device_turn_)) return ends;
  }
  raise_next(stream, signals.raise_first, device_turn_);
  await_next(device_, stream, signals.await_first, device_turn_);
  copies_.enqueue(stream);
  write(stream);
  raise_next(stream, signals.raise_then, device_turn_);
  return false;
}

void PeerChannel::whole(Stream& stream, bool free) {
  if (turns_ == Turns::device) {
    if (!start_next(stream, free, true)) finish(stream);
    return;
  }
  start(stream);
  finish(stream);
}

void PeerChannel::start(Stream& stream, bool free) {
  if (turns_ == Turns::device) {
    start_next(stream, free, false);
    return;
  }
  take_turn(stream);
  if (would_wait(stream, free_here_, turn_)) return; // the caller has other work; finish() stores
  store(stream);
}

void PeerChannel::finish(Stream& stream) {
  if (turns_ == Turns::device) {
    await_last(device_, stream, full_here_, device_turn_);
    unpack_.enqueue(stream);
    return;
  }
  if (!stored_) store(stream);
  await(device_, stream, full_here_, turn_, "a neighbour's halo cells");
  unpack_.enqueue(stream);
}

} // namespace tasuki

#include <tasuki/channel/peer.hpp>

#include <algorithm>

namespace tasuki {
namespace {

int rank_of(const World& world, int node_rank) {
  int rank = 0;
  while (!world.same_node(rank, world.rank()) || world.node_rank_of(rank) != node_rank) ++rank;
  return rank;
}

} // namespace

PeerChannel::PeerChannel(Device& device, std::vector<Outgoing> outgoing,
                         const std::vector<Incoming>& incoming, Turns turns)
    : device_(device),
      flags_(device, 2 * sizeof(Flag) * device.world().node_size()),
      turns_(device.cuda() ? turns : Turns::host) {
  const World& world = device.world();
  const int n = world.node_size(), me = world.node_rank();
  const auto flags_of = [&](int node_rank) {
    return reinterpret_cast<Flag*>(node_rank == me ? flags_.data() : flags_.peer(node_rank));
  };
  std::vector<CopyPair> stored, copied;
  for (const Outgoing& out : outgoing) {
    stored.insert(stored.end(), out.stored.begin(), out.stored.end());
    // The host has no engine besides its threads.
    auto& list = device.cuda() ? copied : stored;
    list.insert(list.end(), out.copied.begin(), out.copied.end());
    free_here_.push_back({flags_of(me) + out.node_rank, rank_of(world, out.node_rank)});
    full_there_.push_back(flags_of(out.node_rank) + n + me);
  }
  for (const Incoming& in : incoming) {
    free_there_.push_back(flags_of(in.node_rank) + me);
    full_here_.push_back({flags_of(me) + n + in.node_rank, rank_of(world, in.node_rank)});
  }
  copies_ = CopyPlan(device, std::move(stored));
  pitched_ = EngineCopies(device, std::move(copied));
  make_mailbox(outgoing, incoming);
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

// Sender and receiver agree on places in the receiver's inbox, which it lays out by sender.
void PeerChannel::make_mailbox(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming) {
  const World& world = device_.world();
  const auto bytes_of = [](const auto& message) {
    long bytes = 0;
    for (const Strided& part : message.packed) bytes += part.bytes();
    return bytes;
  };
  const auto padded = [](long bytes) { return (bytes + 255) / 256 * 256; };
  long sent = 0, received = 0;
  std::vector<long> places(static_cast<std::size_t>(world.node_size()), 0), theirs(places.size());
  for (const Outgoing& out : outgoing) sent += padded(bytes_of(out));
  for (const Incoming& in : incoming) {
    places[static_cast<std::size_t>(in.node_rank)] = received;
    received += padded(bytes_of(in));
  }
  long any = std::max(sent, received);
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_LONG, MPI_MAX, world.node_comm());
  if (any == 0) return;
  MPI_Alltoall(places.data(), 1, MPI_LONG, theirs.data(), 1, MPI_LONG, world.node_comm());
  inbox_ = std::make_unique<SharedBuffer>(device_, static_cast<std::size_t>(received));
  outbox_ = Buffer(device_, static_cast<std::size_t>(sent));

  std::vector<CopyPair> pack, ship, unpack;
  char* at = outbox_.data();
  for (const Outgoing& out : outgoing) {
    const long bytes = bytes_of(out);
    if (bytes == 0) continue;
    char* place = at;
    for (const Strided& part : out.packed) {
      pack.push_back({part, packed(part, place)});
      place += part.bytes();
    }
    char* const there = inbox_->peer(out.node_rank) + theirs[static_cast<std::size_t>(out.node_rank)];
    ship.push_back({{at, bytes}, {there, bytes}});
    at += padded(bytes);
  }
  for (const Incoming& in : incoming) {
    char* place = inbox_->data() + places[static_cast<std::size_t>(in.node_rank)];
    for (const Strided& part : in.packed) {
      unpack.push_back({packed(part, place), part});
      place += part.bytes();
    }
  }
  pack_ = CopyPlan(device_, std::move(pack));
  ship_ = EngineCopies(device_, std::move(ship));
  unpack_ = CopyPlan(device_, std::move(unpack));
}

// What is not stored by copies_, into memory that is free.
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

// By turns of the device. True where it has done all that there is to do if `ends` is wished for.
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
  if (would_wait(stream, free_here_, turn_)) return; // the caller has work for the meantime
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

#include <tasuki/channel/peer.hpp>

namespace tasuki {
namespace {

int rank_of(const World& world, int node_rank) {
  int rank = 0;
  while (!world.same_node(rank, world.rank()) || world.node_rank_of(rank) != node_rank) ++rank;
  return rank;
}

} // namespace

PeerChannel::PeerChannel(Device& device, std::vector<Outgoing> outgoing, const std::vector<int>& sources,
                         Turns turns)
    : device_(device),
      flags_(device, 2 * sizeof(Flag) * device.world().node_size()),
      turns_(device.cuda() ? turns : Turns::host) {
  const World& world = device.world();
  const int n = world.node_size(), me = world.node_rank();
  const auto flags_of = [&](int node_rank) {
    return reinterpret_cast<Flag*>(node_rank == me ? flags_.data() : flags_.peer(node_rank));
  };
  std::vector<CopyPair> pairs;
  for (Outgoing& out : outgoing) {
    pairs.insert(pairs.end(), out.pairs.begin(), out.pairs.end());
    free_here_.push_back({flags_of(me) + out.node_rank, rank_of(world, out.node_rank)});
    full_there_.push_back(flags_of(out.node_rank) + n + me);
  }
  for (const int source : sources) {
    free_there_.push_back(flags_of(source) + me);
    full_here_.push_back({flags_of(me) + n + source, rank_of(world, source)});
  }
  copies_ = CopyPlan(device, std::move(pairs));
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
  raise(stream, full_there_, turn_);
  await(device_, stream, full_here_, turn_, "a neighbour's halo cells");
}

void PeerChannel::store(Stream& stream) {
  await(device_, stream, free_here_, turn_, "a neighbour's halo to be free");
  copies_.enqueue(stream);
  raise(stream, full_there_, turn_);
  stored_ = true;
}

void PeerChannel::start(Stream& stream) {
  if (turns_ == Turns::device) {
    raise_next(stream, free_there_, device_turn_);
    await_next(device_, stream, free_here_, device_turn_);
    copies_.enqueue(stream);
    raise_next(stream, full_there_, device_turn_);
    return;
  }
  take_turn(stream);
  if (would_wait(stream, free_here_, turn_)) return; // the caller has work for the meantime
  store(stream);
}

void PeerChannel::finish(Stream& stream) {
  if (turns_ == Turns::device) {
    await_last(device_, stream, full_here_, device_turn_);
    return;
  }
  if (!stored_) store(stream);
  await(device_, stream, full_here_, turn_, "a neighbour's halo cells");
}

} // namespace tasuki

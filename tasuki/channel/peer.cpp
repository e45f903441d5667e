#include <tasuki/channel/peer.hpp>

namespace tasuki {

PeerChannel::PeerChannel(Device& device, std::vector<Outgoing> outgoing, const std::vector<int>& sources)
    : device_(device), flags_(device, 2 * sizeof(Flag) * device.world().node_size()) {
  const int n = device.world().node_size(), me = device.world().node_rank();
  const auto flags_of = [&](int node_rank) {
    return reinterpret_cast<Flag*>(node_rank == me ? flags_.data() : flags_.peer(node_rank));
  };
  std::vector<CopyPair> pairs;
  for (Outgoing& out : outgoing) {
    pairs.insert(pairs.end(), out.pairs.begin(), out.pairs.end());
    free_here_.push_back(flags_of(me) + out.node_rank);
    full_there_.push_back(flags_of(out.node_rank) + n + me);
  }
  for (const int source : sources) {
    free_there_.push_back(flags_of(source) + me);
    full_here_.push_back(flags_of(me) + n + source);
  }
  copies_ = CopyPlan(device, std::move(pairs));
}

void PeerChannel::store(Stream& stream) {
  await(device_, stream, free_here_, turn_, "a neighbour's halo to be free");
  copies_.enqueue(stream);
  raise(stream, full_there_, turn_);
  stored_ = true;
}

void PeerChannel::start(Stream& stream) {
  ++turn_;
  stored_ = false;
  raise(stream, free_there_, turn_);
  if (would_wait(stream, free_here_, turn_)) return; // the caller has work for the meantime
  store(stream);
}

void PeerChannel::finish(Stream& stream) {
  if (!stored_) store(stream);
  await(device_, stream, full_here_, turn_, "a neighbour's halo cells");
}

} // namespace tasuki

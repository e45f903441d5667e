#include <tasuki/halo/exchange.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace tasuki {
namespace {

using Direction = std::array<int, kMaxDims>;

// Every direction in which something can travel, in an order that all ranks share.
std::vector<Direction> directions(const Decomposition& cut, int order) {
  std::vector<Direction> list;
  int count = 1;
  for (int a = 0; a < cut.dims; ++a) count *= 3;
  for (int k = 0; k < count; ++k) {
    Direction d{};
    int axes = 0, rest = k;
    bool possible = true;
    for (int a = 0; a < cut.dims; ++a, rest /= 3) {
      d[a] = rest % 3 - 1;
      axes += d[a] != 0;
      possible = possible && (d[a] == 0 || cut.exchanges(a));
    }
    if (axes > 0 && axes <= order && possible) list.push_back(d);
  }
  return list;
}

int axes_of(const Direction& d) {
  int axes = 0;
  for (const int step : d) axes += step != 0;
  return axes;
}

Direction opposite(Direction d) {
  for (int& step : d) step = -step;
  return d;
}

// The cells that travel in direction d, as the sender owns them and as the receiver's halo holds them.
Box sent_box(const Layout& sender, const Direction& d, const Depth& depth) {
  Box b = box_of(sender.dims, sender.extents);
  for (int a = 0; a < sender.dims; ++a) {
    if (d[a] > 0) b.lo[a] = b.hi[a] - depth.width[a].lo; // the receiver's lower halo
    if (d[a] < 0) b.hi[a] = depth.width[a].hi;
  }
  return b;
}
Box received_box(const Layout& receiver, const Direction& d, const Depth& depth) {
  Box b = box_of(receiver.dims, receiver.extents);
  for (int a = 0; a < receiver.dims; ++a) {
    if (d[a] > 0) {
      b.lo[a] = -depth.width[a].lo;
      b.hi[a] = 0;
    }
    if (d[a] < 0) {
      b.lo[a] = receiver.extents[a];
      b.hi[a] = b.lo[a] + depth.width[a].hi;
    }
  }
  return b;
}

std::string shape_of(const Strided& part, std::size_t element_bytes) {
  const Strided f = folded(part);
  if (f.levels == 0) return "block";
  return f.run > static_cast<long>(element_bytes) ? "block-stride" : "stride";
}

// Numbers exchanges alike on all ranks, for the tags of their messages.
struct TagCounter {
  explicit TagCounter(World&) {}
  int next = 0;
};

} // namespace

Exchange::Exchange(const std::vector<HaloNeed>& needs, Turns turns) {
  GridCore& grid = needs.front().field->grid();
  World& world = grid.world();
  Device& device = grid.device();
  const Decomposition& cut = grid.cut();
  const Layout& here = grid.layout();
  const Router router(device, grid.dims());
  const int me = world.rank();

  int order = 0;
  for (const HaloNeed& need : needs) order = std::max(order, need.depth.order);

  std::vector<CopyPair> self;
  std::map<int, std::vector<CopyPair>> peers;             // by the receiver's rank
  std::map<int, std::vector<Strided>> outgoing, incoming; // by rank
  std::set<int> sources;                                  // node ranks that store into this one
  const auto visit = [&](const Direction& d, const auto& each) {
    for (const HaloNeed& need : needs)
      if (axes_of(d) <= need.depth.order)
        for (int k = 0; k < need.field->components(); ++k) each(*need.field, need.depth, k);
  };

  for (const Direction& d : directions(cut, order)) {
    const int to = cut.neighbour(me, d), from = cut.neighbour(me, opposite(d));
    if (to >= 0) {
      Face face{.direction = d,
                .from = me,
                .to = to,
                .channel = router.between(me, to, d),
                .bytes = 0,
                .shape = ""};
      const Layout there = grid.layout_of(to);
      visit(d, [&](const FieldCore& field, const Depth& depth, int k) {
        const Box box = sent_box(here, d, depth);
        if (box.empty()) return;
        const Strided cells = field.strided(field.origin(), here, box, k);
        face.bytes += cells.bytes();
        if (face.shape.empty()) face.shape = shape_of(cells, field.element_bytes());
        if (face.channel == ChannelKind::mpi) {
          outgoing[to].push_back(cells);
          return;
        }
        char* origin = to == me ? field.origin() : field.origin_of(to);
        const Strided halo = field.strided(origin, there, received_box(there, d, depth), k);
        (face.channel == ChannelKind::self ? self : peers[to]).push_back({cells, halo});
      });
      if (face.bytes > 0) {
        bytes_[static_cast<int>(face.channel)] += face.bytes;
        faces_.push_back(face);
      }
    }
    if (from >= 0) {
      const ChannelKind channel = router.between(from, me, d);
      visit(d, [&](const FieldCore& field, const Depth& depth, int k) {
        const Box box = received_box(here, d, depth);
        if (box.empty()) return;
        if (channel == ChannelKind::mpi)
          incoming[from].push_back(field.strided(field.origin(), here, box, k));
        if (channel == ChannelKind::peer) sources.insert(world.node_rank_of(from));
      });
    }
  }

  if (!self.empty()) {
    self_ = std::make_unique<SelfChannel>(device, std::move(self));
    messages_[static_cast<int>(ChannelKind::self)] = 1;
  }
  // Flags are shared memory, which a node makes together: with the first rank of it that needs them.
  int any_peer = !peers.empty() || !sources.empty();
  MPI_Allreduce(MPI_IN_PLACE, &any_peer, 1, MPI_INT, MPI_MAX, world.node_comm());
  if (any_peer) {
    std::vector<PeerChannel::Outgoing> out;
    for (auto& [rank, pairs] : peers) out.push_back({world.node_rank_of(rank), std::move(pairs)});
    messages_[static_cast<int>(ChannelKind::peer)] = static_cast<long>(out.size());
    peer_ = std::make_unique<PeerChannel>(device, std::move(out),
                                          std::vector<int>(sources.begin(), sources.end()), turns);
  }
  if (device.cuda() && turns == Turns::device) {
    int any_message = !outgoing.empty() || !incoming.empty();
    MPI_Allreduce(MPI_IN_PLACE, &any_message, 1, MPI_INT, MPI_MAX, world.comm());
    if (any_message)
      throw Error("executor graph needs halos that travel without the host, and some go by MPI",
                  "take --executor overlapped, or ranks that share a node");
  }
  const int tag = world.part<TagCounter>().next++ % 32768; // the least upper bound that MPI promises
  if (!outgoing.empty() || !incoming.empty()) {
    const auto messages = [](auto& by_rank) {
      std::vector<MpiChannel::Message> list;
      for (auto& [rank, parts] : by_rank) list.push_back({rank, std::move(parts)});
      return list;
    };
    messages_[static_cast<int>(ChannelKind::mpi)] = static_cast<long>(outgoing.size());
    mpi_ = std::make_unique<MpiChannel>(device, messages(outgoing), messages(incoming), tag);
  }
}

void Exchange::wrap(Stream& stream) {
  if (self_) self_->start(stream);
}

// What has to go furthest is started first.
void Exchange::start(Stream& stream) {
  if (mpi_) mpi_->start(stream);
  if (peer_) peer_->start(stream);
}

void Exchange::finish(Stream& stream) {
  if (peer_) peer_->finish(stream);
  if (mpi_) mpi_->finish(stream);
}

void Exchange::open(Stream& stream) {
  if (mpi_) mpi_->start(stream);
  if (peer_) peer_->open(stream);
}

void Exchange::share(int part, int parts) const {
  if (peer_) peer_->copies().share(part, parts);
  if (self_) self_->copies().share(part, parts);
}

void Exchange::close(Stream& stream) {
  if (peer_) peer_->close(stream);
  if (mpi_) mpi_->finish(stream);
}

long Exchange::shared_cost() const {
  return (peer_ ? peer_->copies().cost() : 0) + (self_ ? self_->copies().cost() : 0);
}

void Exchange::free_ahead(Stream& stream) {
  if (peer_) peer_->free_ahead(stream);
}

} // namespace tasuki

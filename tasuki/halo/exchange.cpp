#include <tasuki/halo/boxes.hpp>
#include <tasuki/halo/exchange.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/reduce.hpp>

#include <algorithm>
#include <map>

namespace tasuki {
namespace {

// What every rank sends in each direction and by which route: the same on every rank that asks.
class Traffic {
public:
  Traffic(const std::vector<HaloNeed>& needs, const std::vector<Direction>& directions, bool without_host)
      : needs_(needs),
        directions_(directions),
        grid_(needs.front().field->grid()),
        router_(grid_.device(), grid_.dims(), without_host) {}

  const Router& router() const { return router_; }
  // What `rank` sends, in the order of the directions; nothing where it has no neighbour or no cells travel.
  const std::vector<SentFace>& sent(int rank) { return of(rank).faces; }
  const std::vector<Route>& routes(int rank) { return of(rank).routes; }
  // The route of what `rank` sends in the direction with this number, which something travels in.
  Route route(int rank, std::size_t direction) {
    const Sender& sender = of(rank);
    return sender.routes.at(static_cast<std::size_t>(sender.face_of[direction]));
  }

private:
  struct Sender {
    std::vector<SentFace> faces;
    std::vector<int> face_of; // by direction, -1: nothing travels
    std::vector<Route> routes;
  };

  const Sender& of(int rank) {
    const auto known = senders_.find(rank);
    if (known != senders_.end()) return known->second;
    Sender sender;
    std::vector<SentField> fields;
    for (const HaloNeed& need : needs_)
      fields.push_back({need.field->storage(), need.field->codec(), need.depth, need.field->reached()});
    for (SentFace& face : sent_faces(grid_.cut(), rank, grid_.layout_of(rank), fields, directions_)) {
      sender.face_of.push_back(face.parts.empty() ? -1 : static_cast<int>(sender.faces.size()));
      if (!face.parts.empty()) sender.faces.push_back(std::move(face));
    }
    sender.routes = router_.routes(rank, sender.faces);
    return senders_.emplace(rank, std::move(sender)).first->second;
  }

  const std::vector<HaloNeed>& needs_;
  const std::vector<Direction>& directions_;
  GridCore& grid_;
  Router router_;
  std::map<int, Sender> senders_;
};

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
  const int me = world.rank();

  int order = 0;
  for (const HaloNeed& need : needs) order = std::max(order, need.depth.order);
  const std::vector<Direction> ways = directions(cut, order);
  Traffic traffic(needs, ways, device.cuda() && turns == Turns::device);
  for (std::size_t k = 0; k < traffic.sent(me).size(); ++k) {
    const SentFace& sent = traffic.sent(me)[k];
    const Route route = traffic.routes(me)[k];
    Face face{sent.direction, me, sent.to, route.channel, route.mode, 0, to_string(sent.parts[0].shape)};
    for (const Rows& rows : sent.parts) face.bytes += rows.bytes;
    bytes_[static_cast<int>(route.channel)] += face.bytes;
    faces_.push_back(face);
  }
  predicted_ = traffic.router().predicted(me, traffic.sent(me), traffic.routes(me));

  std::vector<CopyPair> self;
  std::map<int, PeerChannel::Outgoing> peers;             // by the receiver's rank
  std::map<int, PeerChannel::Incoming> sources;           // by the sender's rank
  std::map<int, std::vector<Strided>> outgoing, incoming; // of mpi, by rank
  const auto visit = [&](const Direction& d, const auto& each) {
    for (const HaloNeed& need : needs)
      if (axes_of(d) <= need.depth.order)
        for (const WireTerm& term : terms_of(need.field->codec(), need.field->components(), d))
          each(*need.field, need.depth, term);
  };

  for (std::size_t number = 0; number < ways.size(); ++number) {
    const Direction& d = ways[number];
    const int to = cut.neighbour(me, d), from = cut.neighbour(me, opposite(d));
    if (to >= 0) {
      const Layout there = grid.layout_of(to);
      visit(d, [&](const FieldCore& field, const Depth& depth, const WireTerm& term) {
        const Box box = sent_box(here, d, depth);
        if (box.empty()) return;
        const Route route = traffic.route(me, number);
        const Strided cells = field.strided(field.origin(), here, box, term);
        if (route.channel == ChannelKind::mpi) {
          outgoing[to].push_back(cells);
          return;
        }
        if (route == Route{ChannelKind::peer, PeerMode::pack}) {
          peers[to].packed.push_back(cells);
          return;
        }
        char* origin = to == me ? field.origin() : field.origin_of(to);
        const CopyPair pair{cells, field.strided(origin, there, received_box(there, d, depth), term.to)};
        const bool by_engine =
            route.mode == PeerMode::copy2d && cells.combine == Combine::none; // it cannot add
        (route.channel == ChannelKind::self ? self
         : by_engine                        ? peers[to].copied
                                            : peers[to].stored)
            .push_back(pair);
      });
    }
    if (from >= 0) {
      visit(d, [&](const FieldCore& field, const Depth& depth, const WireTerm& term) {
        const Box box = received_box(here, d, depth);
        if (box.empty()) return;
        const Route route = traffic.route(from, number);
        const Strided cells = field.strided(field.origin(), here, box, term.to);
        if (route.channel == ChannelKind::mpi) incoming[from].push_back(cells);
        if (route.channel != ChannelKind::peer) return;
        PeerChannel::Incoming& source = sources[from];
        if (route.mode == PeerMode::pack) source.packed.push_back(cells);
      });
    }
  }

  if (!self.empty()) {
    self_ = std::make_unique<SelfChannel>(device, std::move(self));
    messages_[static_cast<int>(ChannelKind::self)] = 1;
  }
  // Flags are shared memory, which a node makes together: with the first rank of it that needs them.
  const bool any_peer = any_rank_of_node(world, !peers.empty() || !sources.empty());
  for (const auto& [rank, message] : peers) receivers_.push_back(rank);
  for (const auto& [rank, message] : sources) senders_.push_back(rank);
  if (any_peer) {
    const auto listed = [&](auto& by_rank) {
      std::vector<std::decay_t<decltype(by_rank.begin()->second)>> list;
      for (auto& [rank, message] : by_rank) {
        message.node_rank = world.node_rank_of(rank);
        list.push_back(std::move(message));
      }
      return list;
    };
    messages_[static_cast<int>(ChannelKind::peer)] = static_cast<long>(peers.size());
    peer_ = std::make_unique<PeerChannel>(device, listed(peers), listed(sources), turns);
  }
  counted_by_device_ = device.cuda() && turns == Turns::device;
  if (counted_by_device_) {
    if (any_rank(world, !outgoing.empty() || !incoming.empty()))
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
void Exchange::start(Stream& stream, bool free) {
  if (mpi_) mpi_->start(stream);
  if (peer_) peer_->start(stream, free);
}

void Exchange::whole(Stream& stream, bool free) {
  if (!counted_by_device_) {
    start(stream);
    wrap(stream);
    finish(stream);
    return;
  }
  if (mpi_) mpi_->start(stream);
  wrap(stream);
  if (peer_) peer_->whole(stream, free);
  if (mpi_) mpi_->finish(stream);
}

void Exchange::finish(Stream& stream) {
  if (peer_) peer_->finish(stream);
  if (mpi_) mpi_->finish(stream);
}

bool Exchange::follows(const Exchange& earlier) const {
  return std::includes(earlier.senders_.begin(), earlier.senders_.end(), receivers_.begin(),
                       receivers_.end());
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

#include <tasuki/array/reflect.hpp>

#include <tasuki/array/together.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tasuki {
namespace {

using Directed = std::array<int, kMaxDims>;

// The direction in the order of routes, the fastest axis first. Dimensions beyond kMaxDims count as the last axis.
Directed directed(const std::vector<int>& direction) {
  Directed axes{};
  for (std::size_t k = 0; k < direction.size(); ++k)
    if (const int way = direction[direction.size() - 1 - k]; way != 0)
      axes[std::min(k, static_cast<std::size_t>(kMaxDims - 1))] = way;
  return axes;
}

// A move of one of the arrays, between ranks.
struct Move {
  std::size_t array;
  ShadowMove move;
  int from, to; // ranks
  Directed direction;
};

// The moves between ranks, and their routes. The result is the same on every rank that computes it.
class Traffic {
public:
  Traffic(const std::vector<Reflected>& reflected, Side side, Device& device, bool routed)
      : reflected_(reflected), side_(side) {
    int dims = 1;
    for (const Reflected& one : reflected) {
      ShadowPlan plan{&one.array->alignment(),
                      &one.array->shadows(),
                      one.array->size(),
                      one.widths,
                      one.corners,
                      one.corners};
      plan.widths.resize(static_cast<std::size_t>(one.array->dims()));
      check_widths(plan, one.array->name());
      plans_.push_back(std::move(plan));
      dims = std::max(dims, std::min(one.array->dims(), kMaxDims));
    }
    if (routed) router_ = std::make_unique<Router>(device, dims);
  }

  // The moves into a rank, from one rank or (below 0) from all.
  std::vector<Move> moves(int to, int from) const {
    std::vector<Move> found;
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      const Nodes& nodes = reflected_[k].array->nodes();
      const auto receiver = nodes.number_of(to);
      const auto sender = from < 0 ? std::optional<int>(kAnyNode) : nodes.number_of(from);
      if (!receiver || !sender) continue;
      each_shadow_move(plans_[k], *receiver, *sender, [&](const ShadowMove& move) {
        found.push_back({k, move, nodes.rank(move.from), to, directed(move.direction)});
      });
    }
    return found;
  }

  // The route of the moves between two ranks in one direction.
  Route route(const Move& move, const std::vector<int>& ranks) {
    if (!router_) return {move.from == move.to ? ChannelKind::self : ChannelKind::mpi};
    return sender(move.from, ranks).at({move.to, move.direction});
  }

  Strided owned(const Move& move) const {
    const Array& array = *reflected_[move.array].array;
    return array.holding_of(move.move.from).box(memory(move).data(), move.move.owned);
  }
  Strided shadow(const Move& move, char* memory) const {
    const Array& array = *reflected_[move.array].array;
    return array.holding_of(move.move.to).box(memory, move.move.shadow);
  }
  ArrayMemory& memory(const Move& move) const { return reflected_[move.array].array->memory(side_); }

private:
  using Routes = std::map<std::pair<int, Directed>, Route>;

  const Routes& sender(int from, const std::vector<int>& ranks) {
    const auto known = senders_.find(from);
    if (known != senders_.end()) return known->second;
    std::vector<SentFace> faces;
    std::map<std::pair<int, Directed>, std::size_t> places;
    for (const int to : ranks)
      for (const Move& move : moves(to, from)) {
        const auto [place, is_new] = places.try_emplace({move.to, move.direction}, faces.size());
        if (is_new) faces.push_back({.direction = move.direction, .to = move.to, .parts = {}});
        SentFace& face = faces[place->second];
        const Array& array = *reflected_[move.array].array;
        const Strided box = array.holding_of(move.move.from).box(nullptr, move.move.owned);
        face.parts.push_back(rows_of(box, array.size()));
        face.stored = face.stored && memory(move).shared();
      }
    const std::vector<Route> routes = router_->routes(from, faces);
    Routes& by_face = senders_[from];
    for (const auto& [face, place] : places) by_face[face] = routes[place];
    return by_face;
  }

  const std::vector<Reflected>& reflected_;
  Side side_;
  std::vector<ShadowPlan> plans_;
  std::unique_ptr<Router> router_; // null: only some of the world's ranks take part
  std::map<int, Routes> senders_;
};

} // namespace

Reflect::Reflect(const std::vector<Reflected>& reflected, Side side) {
  if (reflected.empty()) return;
  World& world = reflected.front().array->world();
  std::vector<const Nodes*> nodes;
  for (const Reflected& one : reflected) nodes.push_back(&one.array->nodes());
  const auto ranks = together(world, nodes);
  if (!ranks) return;
  device_ = &reflected.front().array->memory(side).device();
  Traffic traffic(reflected, side, *device_, ranks->size() == world.size());

  std::vector<int> members;
  for (int place = 0; place < ranks->size(); ++place) members.push_back(ranks->rank(place));
  const int me = world.rank();
  std::vector<Parcel> parcels;
  for (const int other : members) {
    for (const Move& move : traffic.moves(other, me)) {
      Parcel parcel{me, other, traffic.route(move, members), traffic.owned(move), {}};
      if (other == me || needs_landing(parcel.route))
        parcel.landing = traffic.shadow(move, traffic.memory(move).of(other));
      parcels.push_back(parcel);
    }
    if (other != me)
      for (const Move& move : traffic.moves(me, other))
        parcels.push_back(
            {other, me, traffic.route(move, members), {}, traffic.shadow(move, traffic.memory(move).data())});
  }
  transfer_ = std::make_unique<Transfer>(*device_, *ranks, parcels);
}

void Reflect::start() {
  if (!transfer_) return;
  transfer_->start(device_->stream());
  transfer_->wrap(device_->stream());
}

void Reflect::finish() {
  if (transfer_) transfer_->finish(device_->stream());
}

} // namespace tasuki

#include <tasuki/route/choice.hpp>
#include <tasuki/route/route.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace tasuki {
namespace {

constexpr const char* kHow =
    "write --channel mpi, or by face: x=peer,y-=mpi (channels: self, peer, mpi; peer:stores, peer:pack, "
    "peer:copy2d)";
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCopies = 16; // parts of a face that the copy engine may copy separately

template <class Kind, class Names>
Kind named(const std::string& name, const Names& names, const std::string& what) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw Error("there is no " + what + " '" + name + "'", kHow);
  return static_cast<Kind>(at - names.begin());
}

// All routes, in the order of the channels, the fastest channel first.
const std::vector<Route>& every_route() {
  static const std::vector<Route> routes = [] {
    std::vector<Route> list;
    for (std::size_t channel = 0; channel < kChannels.size(); ++channel)
      for (std::size_t mode = 0; mode < (kChannels[channel].modes ? kPeerModeNames.size() : 1); ++mode)
        list.push_back({static_cast<ChannelKind>(channel), static_cast<PeerMode>(mode)});
    return list;
  }();
  return routes;
}

// The channel between ranks with peer access that works without the host.
ChannelKind without_host() {
  const auto row = std::find_if(kChannels.begin(), kChannels.end(), [](const ChannelRow& r) {
    return r.joins == Joins::memory && !r.needs_host;
  });
  return static_cast<ChannelKind>(row - kChannels.begin());
}

// Whether a channel can connect two ranks.
bool joins(ChannelKind channel, PairKind pair, bool peer) {
  switch (row_of(channel).joins) {
    case Joins::itself: return pair == PairKind::self;
    case Joins::memory: return peer;
    case Joins::all: return true;
  }
  return false;
}

bool copied_by_engine(const std::vector<Rows>& parts) {
  return parts.size() <= kMostCopies &&
         std::all_of(parts.begin(), parts.end(), [](const Rows& rows) { return rows.levels <= 2; });
}

struct Parts {
  double latency, transfer; // s
};
Parts parts_of(const Tuning& tuning, const std::vector<Rows>& parts, Route route, PairKind pair) {
  Parts sum{0, 0};
  for (const Rows& rows : parts) {
    const auto cost = tuning.cost(route.channel, rows.shape, rows.row_bytes, pair, route.mode);
    sum.latency = std::max(sum.latency, cost.latency);
    sum.transfer += static_cast<double>(rows.bytes) / cost.bandwidth;
  }
  // Each copy of the copy engine is a separate command; all other channels enqueue one command.
  if (route.mode == PeerMode::copy2d && !parts.empty())
    sum.transfer += static_cast<double>(parts.size() - 1) * tuning.device.launch;
  return sum;
}

// If packing was not measured but is the only possible mode of peer, the constants of stores approximate it.
Parts parts_of(const Tuning& tuning, const std::vector<Rows>& parts, Route route, PairKind pair,
               bool stored) {
  const Parts sum = parts_of(tuning, parts, route, pair);
  if (stored || route.mode != PeerMode::pack || std::isfinite(sum.latency)) return sum;
  return parts_of(tuning, parts, {route.channel, PeerMode::stores}, pair);
}

Way way_of(const Parts& parts, Route route) {
  return {static_cast<int>(route.channel), static_cast<int>(route.mode), parts.latency, parts.transfer};
}

} // namespace

Rows rows_of(const Strided& box, long element_bytes) {
  const Strided f = folded(box);
  const FaceShape shape = f.levels == 0           ? FaceShape::block
                          : f.run > element_bytes ? FaceShape::block_stride
                                                  : FaceShape::stride;
  return {shape, f.levels == 0 ? 0 : f.run, f.bytes(), f.levels};
}

Router::Router(Device& device, int dims, bool without_host)
    : Router(device.part<Links>(), tuning(device), dims,
             {device.world().settings().channel, device.cuda(), without_host}) {}

Router::Router(const Links& links, const Tuning& constants, int dims, const Wish& wish)
    : links_(links),
      tuning_(constants),
      dims_(dims),
      at_once_(wish.at_once),
      without_host_(wish.without_host) {
  const auto read = [](const std::string& name) {
    const std::size_t colon = name.find(':');
    Forced f;
    f.channel = named<ChannelKind>(name.substr(0, colon), kChannelNames, "channel");
    if (colon == std::string::npos) return f;
    if (!row_of(*f.channel).modes) throw Error("only peer has modes, not '" + name + "'", kHow);
    f.mode = named<PeerMode>(name.substr(colon + 1), kPeerModeNames, "mode of peer");
    return f;
  };
  // A channel for all faces may come first in the list. A face that is listed twice is an error.
  bool any = false;
  std::array<std::array<bool, 2>, 4> said{};
  const auto refuse = [&](const std::string& what) {
    throw Error("--channel " + wish.channel + " " + what + " twice", kHow);
  };
  std::stringstream list(wish.channel);
  for (std::string entry; std::getline(list, entry, ',');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      if (std::exchange(any, true)) refuse("says what all faces use");
      for (auto& axis : forced_) axis.fill(read(entry));
      continue;
    }
    const std::string face = entry.substr(0, equals), axes = "xyzt";
    const std::size_t axis = face.empty() ? std::string::npos : axes.find(face[0]);
    const std::string side = face.empty() ? "" : face.substr(1);
    if (axis == std::string::npos || static_cast<int>(axis) >= dims ||
        (side != "" && side != "-" && side != "+"))
      throw Error(
          "--channel names no face of a " + std::to_string(dims) + "-dimensional grid: '" + face + "'", kHow);
    const Forced f = read(entry.substr(equals + 1));
    any = true; // a later channel for all faces would overwrite this one
    for (const int upper : {0, 1}) {
      if (side == (upper ? "-" : "+")) continue;
      if (std::exchange(said[axis][static_cast<std::size_t>(upper)], true)) refuse("names face " + face);
      forced_[axis][static_cast<std::size_t>(upper)] = f;
    }
  }
}

Router::Forced Router::forced(int from, const SentFace& face) const {
  const int to = face.to;
  Forced f;
  for (int a = 0; a < dims_; ++a) {
    if (face.direction[a] == 0) continue;
    const Forced& here = forced_[a][face.direction[a] > 0];
    if (here.channel > f.channel) f.channel = here.channel; // `none` compares less than any channel
    if (here.mode > f.mode) f.mode = here.mode;
  }
  const auto names = [&] { return "ranks " + std::to_string(from) + " and " + std::to_string(to); };
  const auto forces = [&](Joins joins) { return f.channel && row_of(*f.channel).joins == joins; };
  const std::string name = f.channel ? to_string(*f.channel) : "";
  if (forces(Joins::itself) && from != to)
    throw Error("channel " + name + " cannot join " + names(), "force it only along axes that are not cut");
  if (forces(Joins::memory) && !links_.peer(from, to))
    throw Error(
        "channel " + name + " cannot join " + names() +
            (links_.node(from) == links_.node(to) ? ": their GPUs cannot store into each other's memory"
                                                  : ": they are on different nodes"),
        "use mpi for these faces, or leave the choice to Tasuki");
  if (!f.channel || !row_of(*f.channel).modes) f.mode.reset();
  if (!face.stored && f.mode && f.mode != PeerMode::pack)
    throw Error("channel " + name + ":" + to_string(*f.mode) + " cannot join " + names() +
                    ": a field's memory is lent by a user, and a neighbour cannot reach it",
                "use peer:pack or mpi for these faces, or leave the choice to Tasuki");
  if (f.mode == PeerMode::copy2d && !copied_by_engine(face.parts)) f.mode = PeerMode::stores;
  return f;
}

std::vector<Route> Router::routes(int from, const std::vector<SentFace>& faces) const {
  // All faces for one neighbour with the same allowed routes form one parcel.
  struct Parcel {
    int to;
    Forced forced;
    std::vector<Rows> parts;
    std::vector<Route> routes; // the allowed routes
    bool stored = true;
  };
  std::vector<Parcel> parcels;
  std::vector<std::size_t> parcel_of;
  for (const SentFace& face : faces) {
    const Forced f = forced(from, face);
    auto at = std::find_if(parcels.begin(), parcels.end(),
                           [&](const Parcel& p) { return p.to == face.to && p.forced == f; });
    if (at == parcels.end()) at = parcels.insert(parcels.end(), {face.to, f, {}, {}});
    at->stored = at->stored && face.stored;
    at->parts.insert(at->parts.end(), face.parts.begin(), face.parts.end());
    parcel_of.push_back(static_cast<std::size_t>(at - parcels.begin()));
  }

  std::vector<std::vector<Way>> ways;
  for (Parcel& parcel : parcels) {
    const PairKind pair = links_.pair(from, parcel.to);
    const bool peer = links_.peer(from, parcel.to);
    auto& list = ways.emplace_back();
    const auto offer = [&](const auto& allowed) {
      for (const Route& route : every_route()) {
        if (!joins(route.channel, pair, peer) || !allowed(route)) continue;
        if (route.mode == PeerMode::copy2d && !copied_by_engine(parcel.parts)) continue;
        if (needs_landing(route) && !parcel.stored) continue;
        const Parts parts = parts_of(tuning_, parcel.parts, route, pair, parcel.stored);
        if (!std::isfinite(parts.latency)) continue;
        parcel.routes.push_back(route);
        list.push_back(way_of(parts, route));
      }
    };
    const Forced& f = parcel.forced;
    offer([&](Route r) {
      if (without_host_ && peer && !f.channel && row_of(r.channel).needs_host) return false;
      return (f.channel ? r.channel == *f.channel
                        : pair != PairKind::self || row_of(r.channel).joins == Joins::itself) &&
             (!f.mode || r.mode == *f.mode);
    });
    if (!list.empty()) continue;
    // Nothing is known about the cost of the forced route: it is the only choice.
    Route route{f.channel.value_or(without_host_ && peer ? without_host() : every_route().back().channel),
                f.mode.value_or(PeerMode::stores)};
    if (row_of(route.channel).modes && !parcel.stored) route.mode = PeerMode::pack;
    parcel.routes.push_back(route);
    list.push_back(way_of({0, 0}, route));
  }
  // The built-in constants are accurate enough to order the channels, but not to balance their load.
  std::vector<int> chosen;
  if (tuning_.measured)
    chosen = choose_ways(ways, at_once_).ways;
  else
    for (const auto& list : ways) chosen.push_back(choose_ways({list}, false).ways[0]);
  std::vector<Route> routes;
  for (const std::size_t p : parcel_of)
    routes.push_back(parcels[p].routes[static_cast<std::size_t>(chosen[p])]);
  return routes;
}

double Router::predicted(int from, const std::vector<SentFace>& faces,
                         const std::vector<Route>& routes) const {
  std::vector<std::vector<Way>> ways;
  for (std::size_t k = 0; k < faces.size(); ++k) {
    const PairKind pair = links_.pair(from, faces[k].to);
    ways.push_back({way_of(parts_of(tuning_, faces[k].parts, routes[k], pair, faces[k].stored), routes[k])});
  }
  return choose_ways(ways, at_once_).seconds;
}

double least_seconds(const Tuning& tuning, const std::vector<Rows>& parts, PairKind pair, bool peer) {
  double least = kNever;
  for (const Route& route : every_route()) {
    if (!joins(route.channel, pair, peer)) continue;
    if (route.mode == PeerMode::copy2d && !copied_by_engine(parts)) continue;
    const Parts sum = parts_of(tuning, parts, route, pair);
    least = std::min(least, sum.latency + sum.transfer);
  }
  return least;
}

} // namespace tasuki

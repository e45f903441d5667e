// Which channel the cells that travel in a direction use.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>
#include <tasuki/route/links.hpp>
#include <tasuki/route/tuning.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// The shape of a box of bytes, which decides how long it travels: rows of `row_bytes`, nested in `levels` strides.
struct Rows {
  FaceShape shape = FaceShape::block;
  long row_bytes = 0;
  long bytes = 0;
  int levels = 0;
};

// What a rank sends in one direction.
struct SentFace {
  std::array<int, kMaxDims> direction{};
  int to = 0;
  std::vector<Rows> parts;
  bool stored = true; // the sender may store it where it belongs; else it goes packed
};

struct Route {
  ChannelKind channel = ChannelKind::self;
  PeerMode mode = PeerMode::stores; // of peer
  friend bool operator==(const Route&, const Route&) = default;
};
inline std::string to_string(const Route& r) {
  const std::string name = to_string(r.channel);
  return r.channel == ChannelKind::peer && r.mode != PeerMode::stores ? name + ":" + to_string(r.mode) : name;
}

// Whether the sender stores into the receiver's memory on this route, and therefore has to know its address.
inline bool needs_landing(const Route& route) {
  return row_of(route.channel).stores && !(row_of(route.channel).modes && route.mode == PeerMode::pack);
}

// Chooses the routes of what ranks send: by the channel with the least predicted time; by measured constants, so that all
// of it has arrived soonest, which balances channels that run at once (on a GPU). Everything for one neighbour goes one
// way.
//
// The settings may force a channel (--channel "mpi", "x=peer,y-=mpi", "peer:pack"; x- is what travels towards lower
// x). What travels across an edge or a corner goes by the slowest channel forced for its axes.
class Router {
public:
  // Reads settings().channel; Error where it is not understood. Collective with the first one of a device.
  // without_host: what peer can bring goes by peer, since mpi needs the host.
  Router(Device& device, int dims, bool without_host = false);

  // Of ranks that need not exist. at_once: channels run beside each other, as on a GPU.
  struct Wish {
    std::string channel; // as in the settings
    bool at_once = false, without_host = false;
  };
  Router(const Links& links, const Tuning& constants, int dims, const Wish& wish);

  // The route of every face that rank `from` sends, all of them given; the same answer on every rank that asks.
  // Throws Error where a forced channel, or its mode, cannot join the two ranks of a face.
  std::vector<Route> routes(int from, const std::vector<SentFace>& faces) const;

  // Seconds that the faces are predicted to take on these routes.
  double predicted(int from, const std::vector<SentFace>& faces, const std::vector<Route>& routes) const;

private:
  struct Forced {
    std::optional<ChannelKind> channel;
    std::optional<PeerMode> mode;
    friend bool operator==(const Forced&, const Forced&) = default;
  };
  Forced forced(int from, const SentFace& face) const;

  const Links& links_;
  const Tuning& tuning_;
  int dims_;
  bool at_once_, without_host_;
  std::array<std::array<Forced, 2>, kMaxDims>
      forced_{}; // by axis and side (0: towards lower, 1: towards higher)
};

// Seconds of the fastest way for these parts between two ranks that are so joined.
double least_seconds(const Tuning& tuning, const std::vector<Rows>& parts, PairKind pair, bool peer);

} // namespace tasuki

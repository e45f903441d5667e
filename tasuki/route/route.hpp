// The choice of the channel for the cells that travel in a direction.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/copy.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>
#include <tasuki/route/links.hpp>
#include <tasuki/route/tuning.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// The shape of a box of bytes, which determines its transfer time: rows of `row_bytes` in `levels` nested strides.
struct Rows {
  FaceShape shape = FaceShape::block;
  long row_bytes = 0;
  long bytes = 0;
  int levels = 0;
};
Rows rows_of(const Strided& box, long element_bytes);

// The cells that a rank sends in one direction.
struct SentFace {
  std::array<int, kMaxDims> direction{};
  int to = 0;
  std::vector<Rows> parts;
  bool stored = true; // it may be stored directly into the receiver's halo; else it is packed
};

struct Route {
  ChannelKind channel = ChannelKind::self;
  PeerMode mode = PeerMode::stores; // used by peer only
  friend bool operator==(const Route&, const Route&) = default;
};
inline std::string to_string(const Route& r) {
  const std::string name = to_string(r.channel);
  return r.channel == ChannelKind::peer && r.mode != PeerMode::stores ? name + ":" + to_string(r.mode) : name;
}

// True if the sender stores directly into the receiver's memory on this route, and so needs its address.
inline bool needs_landing(const Route& route) {
  return row_of(route.channel).stores && !(row_of(route.channel).modes && route.mode == PeerMode::pack);
}

// Chooses the routes of faces. With built-in constants, each neighbour gets the channel of the least predicted time.
// With measured constants, all faces together arrive as early as possible: on a GPU, this balances the load of channels
// that transfer at the same time. All faces for one neighbour take the same route.
//
// The settings may force a channel (--channel "mpi", "x=peer,y-=mpi", "peer:pack"; x- is the face towards lower x).
// A face across an edge or a corner takes the slowest of the channels that are forced for its axes.
class Router {
public:
  // Reads settings().channel; throws Error if it is invalid. Collective for the first router of a device.
  // without_host: peer is used between all ranks that have peer access, since mpi needs the host.
  Router(Device& device, int dims, bool without_host = false);

  // For ranks that need not exist. at_once: channels transfer at the same time, as on a GPU.
  struct Wish {
    std::string channel; // as in the settings
    bool at_once = false, without_host = false;
  };
  Router(const Links& links, const Tuning& constants, int dims, const Wish& wish);

  // The routes of all faces that rank `from` sends. The result is the same on every rank that computes it.
  // Throws Error if a forced channel or mode cannot connect the two ranks of a face.
  std::vector<Route> routes(int from, const std::vector<SentFace>& faces) const;

  // The predicted seconds of these faces on these routes.
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

// The predicted seconds of the fastest route for these parts between two ranks with this kind of link.
double least_seconds(const Tuning& tuning, const std::vector<Rows>& parts, PairKind pair, bool peer);

} // namespace tasuki

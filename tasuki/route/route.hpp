// Which channel the cells that travel in a direction use.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/route/kinds.hpp>

#include <array>
#include <string>

namespace tasuki {

// The fastest channel between two ranks unless the settings force one (--channel "mpi", "x=peer,y-=mpi"; x- is what
// travels towards lower x). What travels across an edge or a corner goes by the slowest channel forced for its axes.
// The same answer on both ranks. Throws Error where a forced channel cannot join them.
class Router {
public:
  Router(Device& device, int dims); // reads settings().channel; Error where it is not understood

  ChannelKind between(int from, int to, const std::array<int, kMaxDims>& direction) const;

private:
  Device& device_;
  int dims_;
  // By axis and side (0: towards lower, 1: towards higher): the ChannelKind forced, or -1.
  std::array<std::array<int, 2>, kMaxDims> forced_{};
};

} // namespace tasuki

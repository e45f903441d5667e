// The names of what a route is chosen from: besides the channels what joins two ranks, and shapes of faces.
#pragma once

#include <tasuki/channel/channels.hpp>

#include <array>

namespace tasuki {

// What joins two ranks.
enum class PairKind {
  self,       // one rank
  node,       // one node
  subcluster, // one host, but other nodes by --subclusters
  far,        // other hosts
};
inline constexpr std::array<const char*, 4> kPairNames = {"self", "node", "subcluster", "far"};
inline const char* to_string(PairKind pair) { return kPairNames[static_cast<int>(pair)]; }

// How the cells of a face lie.
enum class FaceShape {
  block,        // one run of bytes
  block_stride, // rows of several cells
  stride,       // a cell a row
};
inline constexpr std::array<const char*, 3> kShapeNames = {"block", "block-stride", "stride"};
inline const char* to_string(FaceShape shape) { return kShapeNames[static_cast<int>(shape)]; }

} // namespace tasuki

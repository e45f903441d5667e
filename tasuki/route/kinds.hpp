// The criteria of a route besides the channels: the kind of a pair of ranks, and the shape of a face.
#pragma once

#include <tasuki/channel/channels.hpp>

#include <array>

namespace tasuki {

// The kind of a pair of ranks.
enum class PairKind {
  self,       // the same rank
  node,       // two ranks of one node
  subcluster, // one host, but different nodes because of --subclusters
  far,        // different hosts
};
inline constexpr std::array<const char*, 4> kPairNames = {"self", "node", "subcluster", "far"};
inline const char* to_string(PairKind pair) { return kPairNames[static_cast<int>(pair)]; }

// The memory layout of the cells of a face.
enum class FaceShape {
  block,        // one contiguous run of bytes
  block_stride, // rows of several contiguous cells
  stride,       // one cell per row
};
inline constexpr std::array<const char*, 3> kShapeNames = {"block", "block-stride", "stride"};
inline const char* to_string(FaceShape shape) { return kShapeNames[static_cast<int>(shape)]; }

} // namespace tasuki

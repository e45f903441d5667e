// The names of what a route is chosen from: channels, how `peer` writes, what joins two ranks, shapes of faces.
#pragma once

#include <array>

namespace tasuki {

enum class ChannelKind { self, peer, mpi };
inline constexpr std::array<const char*, 3> kChannelNames = {"self", "peer", "mpi"};
inline const char* to_string(ChannelKind kind) { return kChannelNames[static_cast<int>(kind)]; }

// How `peer` brings a face to the neighbour's memory.
enum class PeerMode {
  stores, // a kernel stores every cell where it belongs
  pack,   // packed here, one contiguous copy, unpacked there
  copy2d, // pitched copies by the device's copy engine, where a face is at most two levels of rows
};
inline constexpr std::array<const char*, 3> kPeerModeNames = {"stores", "pack", "copy2d"};
inline const char* to_string(PeerMode mode) { return kPeerModeNames[static_cast<int>(mode)]; }

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

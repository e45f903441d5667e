// The table of channels: one row with the name and the properties of each channel.
//
// kChannels[static_cast<int>(ChannelKind::mpi)].needs_host;   // true: a CUDA graph cannot contain it
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace tasuki {

class Channel;
class Device;
struct ChannelSetup;

// In order of speed, the fastest first.
enum class ChannelKind { self, peer, mpi };

// The pairs of ranks that a channel can connect.
enum class Joins {
  itself, // a rank with itself
  memory, // ranks that can store into each other's memory
  all,
};

struct ChannelRow {
  const char* name;
  Joins joins;
  bool stores = false;     // into the receiver's memory, whose address the sender needs
  bool needs_host = false; // cannot be used with Turns::device, where the device counts the turns
  bool of_node = false;    // all ranks of a node construct it together if one of them needs it
  bool modes = false;      // the modes of PeerMode apply
  std::unique_ptr<Channel> (*make)(Device& device, ChannelSetup setup);
};

std::unique_ptr<Channel> make_self(Device& device, ChannelSetup setup);
std::unique_ptr<Channel> make_peer(Device& device, ChannelSetup setup);
std::unique_ptr<Channel> make_mpi(Device& device, ChannelSetup setup);

// In the order of ChannelKind.
inline constexpr std::array kChannels = {
    ChannelRow{.name = "self", .joins = Joins::itself, .stores = true, .make = make_self},
    ChannelRow{.name = "peer",
               .joins = Joins::memory,
               .stores = true,
               .of_node = true,
               .modes = true,
               .make = make_peer},
    ChannelRow{.name = "mpi", .joins = Joins::all, .needs_host = true, .make = make_mpi},
};
constexpr const ChannelRow& row_of(ChannelKind kind) { return kChannels[static_cast<std::size_t>(kind)]; }

inline constexpr auto kChannelNames = [] {
  std::array<const char*, kChannels.size()> names{};
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = kChannels[k].name;
  return names;
}();
inline const char* to_string(ChannelKind kind) { return row_of(kind).name; }

// The mode of `peer`: how a box reaches the neighbour's memory.
enum class PeerMode {
  stores, // a kernel stores each cell directly into the neighbour's halo
  pack,   // packed by the sender, sent as one contiguous copy, unpacked by the receiver
  copy2d, // pitched copies by the device's copy engine, for faces of at most two levels of strides
};
inline constexpr std::array<const char*, 3> kPeerModeNames = {"stores", "pack", "copy2d"};
inline const char* to_string(PeerMode mode) { return kPeerModeNames[static_cast<int>(mode)]; }

} // namespace tasuki

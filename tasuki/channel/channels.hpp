// The channels that there are, a row each: the one place that says what a channel is called and what it can do.
//
// kChannels[static_cast<int>(ChannelKind::mpi)].needs_host;   // true: a CUDA graph cannot hold it
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace tasuki {

class Channel;
class Device;
struct ChannelSetup;

// From the fastest to the slowest.
enum class ChannelKind { self, peer, mpi };

// Which ranks a channel can join.
enum class Joins {
  itself, // a rank and itself
  memory, // ranks that can store into each other's memory
  all,
};

struct ChannelRow {
  const char* name;
  Joins joins;
  bool stores = false;     // into the receiver's memory: the sender is told where that is
  bool needs_host = false; // refused where the device counts the turns: Turns::device
  bool of_node = false;    // made by all ranks of a node together, as soon as one of them needs it
  bool modes = false;      // has those of PeerMode
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

// How `peer` brings a box to the neighbour's memory.
enum class PeerMode {
  stores, // a kernel stores every cell where it belongs
  pack,   // packed here, one contiguous copy, unpacked there
  copy2d, // pitched copies by the device's copy engine, where a face is at most two levels of rows
};
inline constexpr std::array<const char*, 3> kPeerModeNames = {"stores", "pack", "copy2d"};
inline const char* to_string(PeerMode mode) { return kPeerModeNames[static_cast<int>(mode)]; }

} // namespace tasuki

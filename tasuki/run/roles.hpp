// What a sweep's fields are to the kernels that do many steps of it (device/tiled.hpp), and what those are told of them.
#pragma once

#include <tasuki/run/march.hpp>
#include <tasuki/run/tiling.hpp>
#include <tasuki/run/walk.hpp>

#include <string>

namespace tasuki {

// The sweep's accesses as tiles take them.
struct Roles {
  std::vector<FieldCore*> slots;   // memories that lie in shared memory
  std::vector<std::size_t> mailed; // accesses whose halo the steps make stale
  std::vector<std::size_t> fixed;  // accesses of memories that never change, read in the cell itself
  std::array<int, kMaxDims> reach{};
  std::string trouble; // why tiles cannot take them
};
Roles roles_of(const March& march);

// The region of a sweep in local cells; false where it is a part of a periodic axis, which has images.
bool local_region(const SweepCore& sweep, TiledLaunch& launch);

// What its tiles hold, without a word on how far apart exchanges may be.
TilingRequest tiling_request(const March& march, const Roles& roles, TiledKind kind);

// The tiles of this rank, and where in shared memory everything lies; no addresses.
TiledLaunch lay_out(const March& march, const Roles& roles, const TilingChoice& choice);

// Which memories the fields of a stretch hold as it begins.
void name_memories(TiledLaunch& launch, const March& march, const Roles& roles);

// What of the fields that are read in the cell itself, and never change, has to be exchanged for steps that go so many
// steps into the halo too.
std::vector<HaloNeed> fixed_needs(const March& march, int steps);

// Enqueues the exchange of these needs, and takes note. Collective.
void exchange_now(Walk& walk, const std::vector<HaloNeed>& needs);

} // namespace tasuki

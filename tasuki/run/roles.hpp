// The roles of a sweep's fields in kernels that do many steps (device/tiled.hpp), and the parameters of these kernels.
#pragma once

#include <tasuki/model/tiling.hpp>
#include <tasuki/run/march.hpp>
#include <tasuki/run/walk.hpp>

#include <string>

namespace tasuki {

// The sweep's accesses, by the way in which tiles handle them.
struct Roles {
  std::vector<FieldCore*> slots;   // memories that are kept in shared memory
  std::vector<std::size_t> mailed; // accesses whose halos become invalid with each step
  std::vector<std::size_t> fixed;  // accesses of constant memories, read in the cell itself
  std::array<int, kMaxDims> reach{};
  std::string trouble; // why tiles cannot handle the sweep; empty if they can
};
Roles roles_of(const March& march);

// The region of a sweep in local cell indices; false if it is a part of a periodic axis, which has periodic images.
bool local_region(const SweepCore& sweep, TiledLaunch& launch);

// The memory demand of tiles and their limits, except the number of steps between exchanges.
TilingRequest tiling_request(const March& march, const Roles& roles, TiledKind kind);

// The tiles of this rank and the layout of shared memory, without addresses.
TiledLaunch lay_out(const March& march, const Roles& roles, const TilingChoice& choice);

// Sets the addresses of the memories that the fields hold at the beginning of a stretch.
void name_memories(TiledLaunch& launch, const March& march, const Roles& roles);

// The halos that are needed of constant fields read in the cell itself, for steps that compute up to `steps` steps deep
// in the halo.
std::vector<HaloNeed> fixed_needs(const March& march, int steps);

// The exchange for these needs, in fewer kernels where all ranks reach each other's memory. Collective.
std::shared_ptr<Exchange> exchange_at_once(Walk& walk, const std::vector<HaloNeed>& needs);
// Enqueues it, and updates the validities. Collective.
void exchange_now(Walk& walk, const std::vector<HaloNeed>& needs);

} // namespace tasuki

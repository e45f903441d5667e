// Where the arenas of a program's devices may lie. Addresses of a process have 47 bits, so the more devices there are, the smaller
// an arena is.
//
//   const u64 bytes = arena_bytes(1024, 80ull << 30);      // 106.75 GiB
//   std::vector<ArenaPlace> places = places_of(3, 1024, bytes);   // of the fourth device: the place of its own first
//
// Three quarters of an arena are what cudaMalloc gives out, so it is never less than 4/3 of the device's memory where so many
// devices leave room for that. Up to 170 devices of at most 384 GiB have 512 GiB each.
#pragma once

#include <remote/wire/fields.hpp>

#include <vector>

namespace tasuki::remote {

// Each end asks its system; the first place that both have is taken.
struct ArenaPlace {
  u64 address = 0, bytes = 0;
};

// Of each of `count` devices, the largest of which has so much memory (bytes; 0: not known). A multiple of 128 MiB.
u64 arena_bytes(int count, u64 memory);
// What cudaMalloc gives out of it; the rest is for memory that the host reaches too.
u64 own_bytes(u64 arena);
// First choice first. Places of two devices that are each one's own never overlap.
std::vector<ArenaPlace> places_of(int index, int count, u64 bytes);

} // namespace tasuki::remote

#include <remote/client/places.hpp>

#include <algorithm>

namespace tasuki::remote {

namespace {

constexpr u64 gib = 1ull << 30, tib = 1ull << 40;
constexpr u64 usual = 512 * gib, step = 128u << 20;

// What lies between them is others': at 0x3e.. the variables of modules on the host's device (device/host_memory.cpp), at 0x55..
// position-independent programs and their heaps, from 0x7e.. down what a driver maps, variables among it (device/driver_places.hpp),
// above it libraries and stacks. Drivers have something below 2 TiB, too.
struct Span {
  u64 from, to;
};
constexpr Span spans[] = {
    {0x200000000000, 0x3e0000000000}, // 30 TiB
    {0x3f0000000000, 0x550000000000}, // 22 TiB
    {0x570000000000, 0x7c0000000000}, // 37 TiB
    {0x100000000000, 0x200000000000}, // the address sanitizer's
    {0x020000000000, 0x100000000000},
};

// Where all arenas lie side by side behind one of these. The last is where the thread sanitizer leaves room.
constexpr u64 bases[] = {0x200000000000, 0x400000000000, 0x100000000000,
                         0x600000000000, 0x700000000000, 0x7ea000000000};
constexpr u64 side_by_side = 30 * tib;

constexpr int every = 5, first_three = 3;

u64 slots(u64 bytes, int of_spans = every) {
  u64 count = 0;
  for (int n = 0; n < of_spans; ++n) count += (spans[n].to - spans[n].from) / bytes;
  return count;
}

u64 slot(u64 number, u64 bytes) {
  for (const Span& span : spans) {
    const u64 here = (span.to - span.from) / bytes;
    if (number < here) return span.from + number * bytes;
    number -= here;
  }
  return 0;
}

// Some are over, for devices whose own place something of the program's has.
u64 wanted_slots(int count) { return static_cast<u64>(count + std::max(8, count / 32)); }

// Bytes of which there are enough slots.
u64 largest(int count, int of_spans) {
  u64 fits = step, too_many = 1ull << 47;
  while (too_many - fits > step) {
    const u64 middle = (fits + (too_many - fits) / 2) / step * step;
    (slots(middle, of_spans) >= wanted_slots(count) ? fits : too_many) = middle;
  }
  return fits;
}

u64 rounded_up(u64 bytes) { return (bytes + step - 1) / step * step; }

} // namespace

u64 own_bytes(u64 arena) { return arena / 4 * 3; }

// The last two spans are for devices whose own place is taken, unless memory needs them.
u64 arena_bytes(int count, u64 memory) {
  const u64 needed = rounded_up((memory + 2) / 3 * 4), wanted = std::max(usual, needed);
  if (static_cast<u64>(count) * wanted <= side_by_side) return wanted;
  const u64 beside = largest(count, first_three);
  return std::min(wanted, beside >= needed ? beside : std::min(needed, largest(count, every)));
}

std::vector<ArenaPlace> places_of(int index, int count, u64 bytes) {
  const u64 number = static_cast<u64>(index), all = static_cast<u64>(count);
  std::vector<ArenaPlace> places;
  if (all * bytes <= side_by_side) {
    for (const u64 base : bases) places.push_back({base + number * bytes, bytes});
    return places;
  }
  places.push_back({slot(number, bytes), bytes});
  const u64 over = slots(bytes) - all;
  for (u64 n = 0; n < over; ++n) places.push_back({slot(all + (number + n) % over, bytes), bytes});
  return places;
}

} // namespace tasuki::remote

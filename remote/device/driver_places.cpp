#include <remote/device/driver_places.hpp>

#include <remote/wire/reserve.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace tasuki::remote {

namespace {

constexpr std::uint64_t stack_room = 128u << 20; // bytes that the kernel keeps free below the stack
constexpr int newest_target = 90;                // of PTX 8.4, which every driver of CUDA 12.4 reads

void take(std::uint64_t from, std::uint64_t to) {
  if (from < to) reserve_at(from, to - from);
}

} // namespace

void take_high_addresses() {
#if defined(__x86_64__)
  std::ifstream maps("/proc/self/maps");
  std::uint64_t at = high_addresses;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t from = 0, to = 0; // "7f12..-7f13.. r-xp .."
    const char* const last = line.data() + line.size();
    const char* dash = std::from_chars(line.data(), last, from, 16).ptr;
    if (dash == last || *dash != '-' || std::from_chars(dash + 1, last, to, 16).ec != std::errc()) continue;
    if (to <= at) continue;
    const bool stack = line.find("[stack]") != std::string::npos;
    take(at, stack ? from - stack_room : from);
    if (stack) return;
    at = std::max<std::uint64_t>(at, to);
  }
#endif
}

std::string seat_of_modules(int capability) {
  return ".version 8.4\n.target sm_" + std::to_string(std::min(capability, newest_target)) +
         "\n.address_size 64\n.visible .global .align 16 .b8 seat[16];\n";
}

} // namespace tasuki::remote

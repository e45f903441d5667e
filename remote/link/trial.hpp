// A link that does to what is written what a network may do, for tests and for forecasts: it delays every message, cuts
// after so many bytes, freezes, or changes a bit. Reads are those of the link beneath.
//
//   auto slow = tried(std::move(link), parse_trial("delay=100us"));
//   auto bad = tried(std::move(link), parse_trial("cut=4096"));    // also freeze=BYTES, flip=BYTES (the bit behind them)
#pragma once

#include <remote/link/link.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace tasuki::remote {

struct Trial {
  static constexpr std::uint64_t kNever = ~std::uint64_t(0);
  std::chrono::nanoseconds delay{
      0};                     // from a write to the moment when its bytes leave; writers do not wait for it
  std::uint64_t cut = kNever; // the link is shut once so many bytes have been written
  std::uint64_t freeze = kNever; // nothing leaves any more; the link stays open
  std::uint64_t flip = kNever;   // the lowest bit of the byte behind so many is turned over
};

Trial parse_trial(const std::string& text); // throws Error
std::unique_ptr<Link> tried(std::unique_ptr<Link> link, const Trial& trial);

} // namespace tasuki::remote

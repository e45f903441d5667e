// A link with simulated network faults, for tests and for predictions: it delays each message, is cut after a number of
// bytes, stops sending, or changes a bit. Reads are unchanged.
//
//   auto slow = tried(std::move(link), parse_trial("delay=100us"));
//   auto bad = tried(std::move(link), parse_trial("cut=4096"));    // also freeze=BYTES, flip=BYTES (the next bit)
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
      0};                     // from a write to the time at which its bytes leave; writers do not wait for it
  std::uint64_t cut = kNever; // the link is shut after this number of written bytes
  std::uint64_t freeze = kNever; // nothing is sent after this number of bytes; the link stays open
  std::uint64_t flip = kNever;   // the lowest bit of the byte after this number is inverted
};

Trial parse_trial(const std::string& text); // throws Error
std::unique_ptr<Link> tried(std::unique_ptr<Link> link, const Trial& trial);

} // namespace tasuki::remote

// The bytes that each reflect of a program has sent, by channel: `--log info` tells them at the program's end. Internal.
//
//   sent.add(where, "u, v", plan);   // once for each reflect
//   sent.tell();   // laplace.c:21:9: reflect (u, v): 1000 times, all ranks each time 0 bytes by self, 65536 bytes by peer, ..
#pragma once

#include "run_time.hpp"

#include <tasuki/array/reflect.hpp>

#include <array>
#include <map>
#include <string>

namespace tasuki::xmp {

class Sent {
public:
  explicit Sent(World& world) : world_(world), on_(world.settings().log != "quiet") {}

  bool on() const { return on_; } // the same on all ranks
  void add(const char* where, const std::string& arrays, const Reflect& plan);
  void tell() const; // collective over all ranks; the bytes of all of them

private:
  struct Sum {
    long times = 0; // the most of a rank
    std::array<long, kChannels.size()> bytes{};
  };
  World& world_;
  bool on_;
  std::map<std::string, Sum> of_; // by place and arrays
};

} // namespace tasuki::xmp

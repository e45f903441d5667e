// The Shares of all GPUs, in memory that the workers share, and which client has which slot of them.
//
//   Slots slots(2);                           // GPUs
//   int slot = slots.take(0, "session", 17);  // of client 17; all clients of a session have one slot. -1: none is free
//   Share* share = slots.share(0);
//   slots.give(17);
#pragma once

#include <remote/server/share.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace tasuki::remote {

class Slots {
public:
  explicit Slots(int gpus);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  Share* all() { return shares_; } // of each GPU, shared with children to come
  int take(int gpu, const std::string& session, int client);
  void give(int client);

private:
  struct Taken {
    int gpu, slot;
    std::string session;
  };
  const std::size_t bytes_;
  Share* shares_;
  std::map<int, Taken> taken_;
};

} // namespace tasuki::remote

// The bound on what a GPU waits for: a kernel that waits for another rank's flag gives up when the host tells it to, or
// when it has waited too long, and says for whom.
#pragma once

#include <tasuki/device/buffer.hpp>

#include <functional>

namespace tasuki {

// As kernels see it (watch_device.hpp). The words are in pinned memory.
struct WatchHandle {
  volatile int* give_up = nullptr; // not 0: whoever waits ends its wait, and goes on with whatever is there
  int* whom = nullptr; // 1 + the rank that was waited for in vain; -1: one of unknown number; 0: none
  unsigned long long bound = 0; // nanoseconds that a kernel waits
};

// A part of the world: world.part<Watch>(). A host that waits for a GPU through Stream::synchronize() looks at it.
//
// A neighbour that dies is found by the host, within a second; the bound is for one that lives and never comes.
class Watch {
public:
  explicit Watch(World& world);

  WatchHandle handle() const { return handle_; }
  void give_up(); // all kernels that wait, now and from now on, go on within milliseconds
  // Throws Error that names the rank for which a kernel has waited too long.
  void check() const;
  // The host waits for something on the GPU; kernels that wait end if a neighbour is found dead. Throws Error.
  void wait_until(const std::function<bool()>& done);

private:
  World& world_;
  Buffer words_;
  WatchHandle handle_;
};

} // namespace tasuki

// The bound on waits of a GPU: a kernel that waits for another rank's flag gives up if the host requests it, or if it
// has waited too long, and then records the rank that it waited for.
#pragma once

#include <tasuki/device/buffer.hpp>

#include <functional>

namespace tasuki {

// The plain data that kernels use (watch_device.hpp). The words are in pinned memory.
struct WatchHandle {
  volatile int* give_up = nullptr; // not 0: all waits end, and their kernels continue with undefined data
  int* whom = nullptr;             // 1 + the rank whose flag did not come; -1: unknown rank; 0: none
  unsigned long long bound = 0;    // nanoseconds that a kernel waits at most
};

// A part of the world: world.part<Watch>(). Stream::synchronize() calls it while the host waits for a GPU.
//
// A dead neighbour is detected by the host within a second; the bound is for one that is alive but never signals.
class Watch {
public:
  explicit Watch(World& world);

  WatchHandle handle() const { return handle_; }
  void give_up(); // ends all present and future waits of kernels within milliseconds
  // Throws Error with the rank for which a kernel has waited too long.
  void check() const;
  // The host waits for something on the GPU; kernels that wait end if a neighbour is found dead. Throws Error.
  void wait_until(const std::function<bool()>& done);

private:
  World& world_;
  Buffer words_;
  WatchHandle handle_;
};

} // namespace tasuki

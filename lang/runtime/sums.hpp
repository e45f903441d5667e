// Sums of kernels that are still on the device: each has a cell there, until the host asks for all of them. Internal.
#pragma once

#include "run_time.hpp"

#include <tasuki/device/buffer.hpp>

#include <vector>

namespace tasuki::xmp {

class Sums {
public:
  explicit Sums(World&) {}

  // The cell of a variable, for a kernel of this queue. `held`: it has the variable's value, which the host has not.
  char* cell(void* value, long bytes, long queue, bool& held);
  // Brings all values back: one copy, and one wait. Without any it does nothing.
  void settle();

private:
  struct Pending {
    void* value;
    long bytes, offset, queue;
  };

  std::vector<Pending> pending_;
  Buffer cells_;
  long used_ = 0;
};

} // namespace tasuki::xmp

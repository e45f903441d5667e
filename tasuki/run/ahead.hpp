// How far the host may run ahead of a GPU: far enough that the GPU is never idle, not so far that the driver's queue is
// full and the host, kept in a launch, no longer finds a neighbour that dies.
#pragma once

#include <tasuki/device/device.hpp>

namespace tasuki {

class Ahead {
public:
  // Lets at most 2 * `steps` steps be in the queue.
  Ahead(Device& device, long steps);
  // `steps` more steps have been enqueued on device.stream(). On a GPU the host may wait here.
  void enqueued(long steps);

private:
  Device& device_;
  long stride_, since_ = 0;
  Event marks_[2]; // of the last two strides
  int next_ = 0;
  long marked_ = 0;
};

} // namespace tasuki

// Limits how far the host runs ahead of a GPU: far enough that the GPU is never idle, but not so far that the driver's
// queue is full: then a launch blocks the host, which no longer detects a dead neighbour.
#pragma once

#include <tasuki/device/device.hpp>

namespace tasuki {

class Ahead {
public:
  // Lets at most 2 * `steps` steps be queued.
  Ahead(Device& device, long steps);
  // To be called after `steps` more steps have been enqueued on device.stream(). On a GPU it may block the host.
  void enqueued(long steps);

private:
  Device& device_;
  long stride_, since_ = 0;
  Event marks_[2]; // after each of the last two strides
  int next_ = 0;
  long marked_ = 0;
};

} // namespace tasuki

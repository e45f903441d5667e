// The queues of `async`: on a GPU a stream each, and the memory that kernels give sums back by. Internal.
#pragma once

#include "run_time.hpp"

#include <tasuki/device/buffer.hpp>

#include <map>

namespace tasuki::xmp {

class Queues {
public:
  explicit Queues(World&) {}

  // The stream of a queue; TSK_ACC_NOW: the device's own, on which all that is not async goes. What is enqueued on another
  // one next comes after all that went before on that.
  Stream& stream(long queue);
  char* scratch(long queue, long bytes); // device memory for one launch at a time
  void wait(long queue);                 // the host, for one queue; for all of them by wait_all
  void wait_all();
  bool idle(long queue);
  void follow(long queue, long other); // what is enqueued on `queue` next waits for what is on `other`

private:
  struct Queue {
    Queue();
    Stream stream;
  };
  Stream& known(long queue);

  std::map<long, Queue> queues_; // all but TSK_ACC_NOW
  std::map<long, Buffer> scratch_;
};

} // namespace tasuki::xmp

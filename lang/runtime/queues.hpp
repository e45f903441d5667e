// The queues of `async`: on a GPU, a stream each and the scratch memory by which kernels return sums. Internal.
#pragma once

#include "run_time.hpp"

#include <tasuki/device/buffer.hpp>

#include <map>

namespace tasuki::xmp {

class Queues {
public:
  explicit Queues(World&) {}

  // The stream of a queue; TSK_ACC_NOW: the device's own stream, for all work that is not async. Other queues start
  // after all work that was enqueued on it before.
  Stream& stream(long queue);
  char* scratch(long queue, long bytes); // device memory, for one launch at a time
  void wait(long queue);                 // on the host; wait_all() waits for all queues
  void wait_all();
  bool idle(long queue); // all_idle(): all queues, without a wait
  bool all_idle();
  void follow(long queue, long other); // later work on `queue` waits for the present work on `other`

private:
  struct Queue {
    Queue();
    Stream stream;
  };
  Stream& known(long queue);

  std::map<long, Queue> queues_; // all except TSK_ACC_NOW
  std::map<long, Buffer> scratch_;
};

inline Queues& queues() { return RunTime::now().part<Queues>(); }

} // namespace tasuki::xmp

// Threads that wait for the device, so that the one that makes calls need not.
//
//   waiters.add([=] { device.synchronize_event(event); replies.send(number, answer::Done{}); });
//
// A task begins at once: where all threads wait, there is one more, up to 64; beyond that tasks stand in line.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tasuki::remote {

class Waiters {
public:
  static constexpr std::size_t at_most = 64;
  ~Waiters();
  void add(std::function<void()> task);

private:
  void work();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool end_ = false;
};

} // namespace tasuki::remote

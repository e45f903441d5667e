// Whether the other end lives, asked on a link of its own: a process that is stopped, or a host that is gone, keeps a
// connection open and says nothing.
//
//   Heartbeat watch(std::move(lane), {.every = 1 s, .silence = 10 s}, [&](const std::string& why) { link->shut_for(why); });
//   answer_beats(lane);   // in a thread of the worker, until the client is gone
#pragma once

#include <remote/link/link.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace tasuki::remote {

struct Beat {
  std::chrono::milliseconds every{1000};
  std::chrono::milliseconds silence{10000};
};

class Heartbeat {
public:
  // Calls `lost` once, from its own thread, where no answer has come for `silence` or the lane has ended.
  Heartbeat(std::unique_ptr<Link> lane, Beat beat, std::function<void(const std::string& why)> lost);
  ~Heartbeat(); // calls nobody any more

private:
  void watch();

  std::unique_ptr<Link> lane_;
  Beat beat_;
  std::function<void(const std::string&)> lost_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

// Sends back each byte that comes. Returns when the lane has ended.
void answer_beats(Link& lane) noexcept;

} // namespace tasuki::remote

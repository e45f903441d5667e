// Whether the other end lives, asked on a link of its own: a process that is stopped, or a host that is gone, keeps a
// connection open and says nothing.
//
//   Heartbeat watch(std::move(lane), {.every = 1 s, .silence = 10 s}, [&](const std::string& why) { link->shut_for(why); });
//   answer_beats(lane, pulse);   // in a thread of the worker, until the client is gone
//
// By the way the worker says that its server is about to end, and the client whether it can go elsewhere and how its device stands.
#pragma once

#include <remote/link/link.hpp>
#include <remote/link/report.hpp>

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

inline constexpr std::size_t kBeatBytes = 8 + sizeof(Report); // of a client; its turn is the first

class Heartbeat {
public:
  // Calls `lost` once, from its own thread, where no answer has come for `silence` or the lane has ended.
  Heartbeat(std::unique_ptr<Link> lane, Beat beat, std::function<void(const std::string& why)> lost);
  ~Heartbeat();                             // calls nobody any more
  bool leaving() const { return leaving_; } // the server is about to end
  void set_movable(bool movable) {
    movable_ = movable;
  } // it need not wait for this client, which goes by itself
  void set_report(
      std::function<Report()> report); // called before each beat, the first at once, by its own thread

private:
  void watch();

  std::unique_ptr<Link> lane_;
  Beat beat_;
  std::function<void(const std::string&)> lost_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::function<Report()> report_;
  bool fresh_ = false; // no beat has had it
  std::atomic<bool> leaving_{false}, movable_{false};
  std::thread thread_;
};

// What a worker says and hears by the way.
struct Pulse {
  std::atomic<bool> leaving{false};
  std::function<void()> stays; // the client cannot go elsewhere: called at each beat once that was asked
  std::function<void(const Report&)> reported; // with each beat of a client that has something to say
};

// Answers each beat. Returns when the lane has ended.
void answer_beats(Link& lane, const Pulse& pulse = {}) noexcept;

} // namespace tasuki::remote

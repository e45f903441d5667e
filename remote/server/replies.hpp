// What goes back to the client, from any thread of the worker.
//
//   replies.send(number, answer::Number{4});
//   replies.fail(number, Status::invalid_value, "");
//   replies.expect(number);     // a call that is made by another thread
//   replies.wait_for(number);   // until it is answered
#pragma once

#include <remote/device/status.hpp>
#include <remote/link/link.hpp>
#include <remote/wire/frames.hpp>

#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace tasuki::remote {

class Replies {
public:
  explicit Replies(Link& link) : link_(link) {}

  template <class Message>
  void send(u64 number, const Message& message, Status status = Status::success, View tail = {}) {
    thread_local std::vector<unsigned char> head;
    head.clear();
    frame_answer(number, static_cast<i32>(status), message, tail.size, head);
    const Piece pieces[] = {{head.data(), head.size()}, {tail.data, tail.size}};
    std::lock_guard hold(mutex_);
    // It is over also where the client is gone, and before the lock is given up: so answers keep the order of a log.
    const bool expected = expected_.erase(number) > 0;
    if (expected) answered_.notify_all();
    link_.write(pieces, tail.size ? 2 : 1);
  }

  // From here on wait_for() waits for the answer to this call; for others it does not.
  void expect(u64 number) {
    std::lock_guard hold(mutex_);
    expected_.insert(number);
  }
  void wait_for(u64 number) {
    std::unique_lock hold(mutex_);
    answered_.wait(hold, [&] { return expected_.count(number) == 0; });
  }

  // To the call that waits for it; where none does (wanted is false), a message of itself.
  void fail(u64 number, bool wanted, Status status, const std::string& what) {
    if (wanted)
      send(number, answer::Done{}, status);
    else
      send(0, answer::Trouble{sticky(status) ? 1u : 0u, what}, status);
  }

private:
  Link& link_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::unordered_set<u64> expected_; // not answered yet
};

} // namespace tasuki::remote

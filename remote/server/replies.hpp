// What goes back to the client, from any thread of the worker.
//
//   replies.send(number, answer::Number{4});
//   replies.fail(number, Status::invalid_value, "");
#pragma once

#include <remote/device/status.hpp>
#include <remote/link/link.hpp>
#include <remote/wire/frames.hpp>

#include <mutex>
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
    link_.write(pieces, tail.size ? 2 : 1);
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
};

} // namespace tasuki::remote

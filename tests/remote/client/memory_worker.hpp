// A worker of memory alone at the end of a link, for tests of what the client does with several: its bytes can be changed, and it can
// end or report a fault at a call.
//
//   MemoryWorker worker;
//   Spare place{"a:0", "a", {}, worker.visit()};
//   worker.flip(17);
//
// Memory begins at address 0. Copies and fills do what they say; a launch multiplies every byte by 3 and adds 1, so what is done
// twice is seen.
#pragma once

#include <remote/client/spares.hpp>
#include <remote/device/status.hpp>
#include <remote/link/socket.hpp>
#include <remote/wire/digest.hpp>
#include <remote/wire/frames.hpp>

#include <sys/socket.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace tasuki::remote {

class MemoryWorker {
public:
  static constexpr std::size_t bytes = 4096;
  static constexpr u64 never = ~0ull;

  struct Trial {
    u64 ends = never;   // before it makes the call of this number
    u64 faults = never; // from this call on
    int noise = 0;      // added to what a launch leaves: it comes to other bytes than others
    u64 free = 1 << 20; // memory, as it says
    Status fault = Status::launch_failure;
    u64 variable = 64; // where the variables of modules lie, of 8 bytes
  };

  explicit MemoryWorker(const Trial& trial) : trial_(trial), memory_(bytes) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) std::abort();
    client_ = std::make_unique<SocketLink>(Descriptor(pair[0]), "worker");
    here_ = std::make_unique<SocketLink>(Descriptor(pair[1]), "client");
    thread_ = std::thread([this] { work(); });
  }
  ~MemoryWorker() {
    here_->shut();
    thread_.join();
  }
  Visit visit() {
    Visit visit;
    visit.link = std::move(client_);
    return visit;
  }
  void flip(std::size_t at) {
    std::lock_guard hold(mutex_);
    memory_[at] ^= 4;
  }
  void end() { here_->shut(); }
  std::unique_lock<std::mutex> stand() { return std::unique_lock(mutex_); } // it makes no call meanwhile

  std::atomic<int> copies{0}, digests{0}, launches{0}, pauses{0}; // that it has made

private:
  void work() {
    try {
      std::vector<unsigned char> body;
      for (;;) {
        here_->read(&head_, sizeof head_, sizeof head_);
        body.resize(head_.bytes);
        if (head_.bytes) here_->read(body.data(), body.size(), body.size());
        if (head_.number < never / 2 && head_.number >= trial_.ends) here_->shut();
        std::lock_guard hold(mutex_);
        dispatch(head_.call, {body.data(), body.size()}, [this](const auto& call, View tail) {
          const bool faulted = head_.number >= trial_.faults;
          if (faulted && (call.answered || head_.wanted))
            return answer(answer::Done{}, {}, static_cast<i32>(trial_.fault));
          make(call, tail);
        });
      }
    } catch (const LinkLost&) {
      // the client has gone, or this one ended
    }
  }
  template <class Fields>
  void answer(const Fields& fields, View tail = {}, i32 error = 0) {
    std::vector<unsigned char> out;
    frame_answer(head_.number, error, fields, tail.size, out);
    const Piece pieces[] = {{out.data(), out.size()}, {tail.data, tail.size}};
    here_->write(pieces, tail.size ? 2 : 1);
  }
  template <class Any>
  void make(const Any& call, View) {
    if (call.answered || head_.wanted) answer(answer::Done{});
  }
  void make(const call::MemoryInfo&, View) { answer(answer::Memory{trial_.free, 1 << 20}); }
  void make(const call::FindVariable&, View) { answer(answer::Variable{trial_.variable, 8}); }
  void make(const call::CopyIn& c, View tail) { std::memcpy(&memory_.at(c.to), tail.data, tail.size); }
  void make(const call::Fill& c, View) {
    std::memset(memory_.data() + c.to, static_cast<int>(c.value), static_cast<std::size_t>(c.bytes));
  }
  void make(const call::Launch&, View) {
    ++launches;
    for (unsigned char& byte : memory_) byte = static_cast<unsigned char>(byte * 3 + 1 + trial_.noise);
  }
  void make(const call::CopyOut& c, View) {
    ++copies;
    answer(answer::Bytes{}, {&memory_.at(c.from), static_cast<std::size_t>(c.bytes)});
  }
  void make(const call::Digest& c, View) {
    ++digests;
    answer(answer::Number{digest_of({&memory_.at(c.from), static_cast<std::size_t>(c.width)})});
  }
  void make(const call::Pause&, View) { ++pauses; }
  void make(const call::HostCall& c, View) {
    const CallHead head = head_;
    head_.number = 0;
    answer(answer::Reached{c.token});
    head_ = head;
  }

  const Trial trial_;
  std::mutex mutex_;
  std::vector<unsigned char> memory_;
  CallHead head_;
  std::unique_ptr<Link> client_, here_;
  std::thread thread_;
};

} // namespace tasuki::remote

// Calls on their way to one worker, and its answers on their way back.
//
//   Connection worker(std::move(link), {.reached = .., .trouble = ..});
//   worker.post(call::Fill{address, bytes, 0, 4, stream});            // returns at once
//   auto where = worker.ask<answer::Variable>(call::FindVariable{module, "x"});
//
// Posted calls gather in a buffer that leaves when somebody asks, when it holds 64 KiB, or after 20 us. A tail of 32 KiB or
// more is sent from where it lies. Calls leave in the order in which they were made, by whichever thread. Answers are read by a
// thread of the connection and wake whoever asked; a thread that waits holds up no other. A strict connection waits for the
// answer of posted calls too: what one fails with is thrown by it, and not told later.
#pragma once

#include <remote/client/failure.hpp>
#include <remote/client/ledger.hpp>
#include <remote/client/standing.hpp>
#include <remote/link/link.hpp>
#include <remote/wire/frames.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace tasuki::remote {

// The most bytes of a body that is not read straight into a program's memory.
inline constexpr std::size_t answer_limit = 64u << 20;

// Somebody who waits for an answer.
struct Waiting {
  std::atomic<int> come{0}; // a futex: 1 once the answer is here
  int error = 0;
  std::uint16_t answer = 0;
  std::vector<unsigned char> body;
  void* into = nullptr; // where the bytes of a copy go, without a stop in between
  std::size_t room = 0;
  std::function<void()> then = nullptr; // instead of a thread that waits: called once, and the whole deleted
  bool ahead = false;                   // of a copy that the program has not asked for yet
  Call call = Call::count;
};

class Connection {
public:
  struct Handlers {
    std::function<void(u64 token)> reached;                               // a stream has come to a HostCall
    std::function<void(Status, bool sticky, const std::string&)> trouble; // a posted call has failed
    std::function<void(View)> printed;
    std::function<void(const std::string& why)> lost; // the worker is gone: each call fails from now on
    std::function<void(Call, bool beside)> made; // a call leaves that the program makes; beside: see Ahead
    std::function<void()> heard; // something comes, before anybody is told; not of copies ahead
    Ledger* ledger = nullptr;    // where calls are written down, as those of this device
    int device = 0;
    std::shared_ptr<Standing> standing = nullptr; // where waits are written down
  };
  static constexpr std::size_t batch = 64u << 10;
  static constexpr std::size_t copied = 32u << 10; // smaller tails are copied into the batch

  Connection(std::unique_ptr<Link> link, Handlers handlers, bool strict = false);
  ~Connection();

  template <class Message>
  void post(const Message& message, View tail = {}) {
    if (!strict_) return send(message, false, tail, nullptr);
    Waiting waiting;
    begin(waiting, message, tail);
    finish(waiting);
  }

  template <class Reply, class Message>
  Reply ask(const Message& message, View tail = {}, std::vector<unsigned char>* rest = nullptr) {
    Waiting waiting;
    begin(waiting, message, tail);
    finish(waiting);
    Reply reply;
    View left;
    if (waiting.answer != static_cast<std::uint16_t>(Reply::id) ||
        !decode({waiting.body.data(), waiting.body.size()}, reply, left))
      garbled();
    if (rest)
      rest->assign(static_cast<const unsigned char*>(left.data),
                   static_cast<const unsigned char*>(left.data) + left.size);
    return reply;
  }

  // A file goes over the link before the call, whose worker takes it. Only where passes_files().
  bool passes_files() const { return link_->passes_files(); }
  template <class Message>
  void ask_with_file(const Message& message, int file) {
    Waiting waiting;
    waiting.call = Message::id;
    {
      std::lock_guard order(writing_); // files and their calls come in one order
      if (lost_) throw Failure(devices_unavailable);
      pass_file(file);
      std::lock_guard hold(gathering_);
      frame(enlist(&waiting), true, message, 0, gathered_);
    }
    flush();
    finish(waiting);
  }

  // The other way: the worker's answer comes with a file, which the caller closes.
  template <class Message>
  int ask_for_file(const Message& message) {
    std::lock_guard order(taking_);
    ask<answer::Done>(message);
    return take_file();
  }

  // The two halves of ask(), for several at once: `waiting` must stay until finish(), which throws what the call failed with.
  template <class Message>
  void begin(Waiting& waiting, const Message& message, View tail = {}) {
    send(message, true, tail, &waiting);
  }
  void finish(Waiting& waiting);

  // `then` is called once the call is answered, or cannot be any more; by the thread that reads, so it must not wait. What the
  // call has failed with is told as that of a posted one.
  template <class Message>
  void ask_then(const Message& message, std::function<void()> then, void* into = nullptr,
                std::size_t room = 0) {
    auto waiting = std::make_unique<Waiting>();
    waiting->then = std::move(then);
    waiting->into = into;
    waiting->room = room;
    Waiting& given = *waiting.release();
    try {
      begin(given, message);
    } catch (...) {
      waiting.reset(&given);
      throw;
    }
  }

  void flush();
  u64 calls() const { return number_; }
  bool lost() const { return lost_; }

private:
  template <class Message>
  void send(const Message& message, bool wanted, View tail, Waiting* waiting) {
    if (lost_) throw Failure(devices_unavailable);
    const bool ahead = waiting && waiting->ahead; // once it is enlisted it may be answered, and gone
    if (tail.size >= copied) {
      send_large(message, wanted, tail, waiting);
      return tell_made(message, ahead);
    }
    if (waiting) waiting->call = Message::id;
    std::unique_lock hold(gathering_);
    const u64 number = enlist(waiting);
    const std::size_t before = gathered_.size();
    frame(number, wanted, message, tail.size, gathered_);
    if (tail.size) append(tail);
    const std::size_t size = gathered_.size();
    if (handlers_.ledger) handlers_.ledger->made(handlers_.device, Message::id, number, size - before);
    hold.unlock();
    tell_made(message, ahead);
    if (waiting || size >= batch)
      flush();
    else
      rouse();
  }
  template <class Message>
  void tell_made(const Message& message, bool ahead) {
    if (!handlers_.made || ahead) return;
    bool beside = false;
    if constexpr (Message::id == Call::CreateStream)
      beside = (message.flags & 1) != 0; // cudaStreamNonBlocking
    (void)message;
    handlers_.made(Message::id, beside);
  }
  template <class Message>
  void send_large(const Message& message, bool wanted, View tail, Waiting* waiting) {
    if (waiting) waiting->call = Message::id;
    std::lock_guard order(writing_);
    u64 number;
    {
      std::lock_guard hold(gathering_);
      number = enlist(waiting);
      frame(number, wanted, message, tail.size, gathered_);
      sending_.swap(gathered_);
    }
    if (handlers_.ledger)
      handlers_.ledger->made(handlers_.device, Message::id, number, sizeof(CallHead) + tail.size);
    write(tail);
  }
  u64 enlist(Waiting* waiting);
  void append(View tail);
  void pass_file(int file);
  int take_file();
  void write(View tail); // sending_ and the tail, then empties sending_; with writing_ held
  void rouse();
  void read_all();
  void tick();
  void lose(const std::string& why);
  static void answered(Waiting& waiting); // it may be gone afterwards
  [[noreturn]] void garbled();

  std::unique_ptr<Link> link_;
  Handlers handlers_;
  const bool strict_;
  std::mutex taking_;    // files and their answers come in one order
  std::mutex writing_;   // taken before gathering_
  std::mutex gathering_; // of gathered_, number_
  std::vector<unsigned char> gathered_, sending_;
  std::atomic<u64> number_{0};
  std::mutex waiters_mutex_;
  std::unordered_map<u64, Waiting*> waiters_;
  std::atomic<bool> lost_{false}, closing_{false};
  std::atomic<bool> asleep_{false};
  std::mutex sleep_;
  std::condition_variable wake_;
  std::thread reader_, ticker_;
};

} // namespace tasuki::remote

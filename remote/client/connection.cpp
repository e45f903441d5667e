#include <remote/client/connection.hpp>

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <ctime>

namespace tasuki::remote {

namespace {

constexpr int spins = 2000; // about 10 us: an answer that is nearly here costs no sleep

void sleep_until_set(std::atomic<int>& word) {
  static const bool spin = std::thread::hardware_concurrency() > 2;
  for (int n = 0; spin && n < spins; ++n) {
    if (word.load(std::memory_order_acquire)) return;
    __builtin_ia32_pause();
  }
  while (!word.load(std::memory_order_acquire))
    syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

// The waiter may be gone as soon as the word is set: waking an address that is no futex any more is harmless.
void set_and_wake(std::atomic<int>& word) {
  word.store(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace

Connection::Connection(std::unique_ptr<Link> link, Handlers handlers, bool strict)
    : link_(std::move(link)), handlers_(std::move(handlers)), strict_(strict) {
  gathered_.reserve(2 * batch);
  sending_.reserve(2 * batch);
  reader_ = std::thread([this] { read_all(); });
  ticker_ = std::thread([this] { tick(); });
}

Connection::~Connection() {
  closing_ = true;
  {
    std::lock_guard hold(sleep_);
    wake_.notify_all();
  }
  ticker_.join();
  link_->shut();
  reader_.join();
}

u64 Connection::enlist(Waiting* waiting) {
  const u64 number = ++number_;
  if (waiting) {
    std::lock_guard hold(waiters_mutex_);
    if (lost_) throw Failure(devices_unavailable);
    waiters_[number] = waiting;
  }
  return number;
}

void Connection::append(View tail) {
  const auto* bytes = static_cast<const unsigned char*>(tail.data);
  gathered_.insert(gathered_.end(), bytes, bytes + tail.size);
}

void Connection::flush() {
  std::lock_guard order(writing_);
  {
    std::lock_guard hold(gathering_);
    sending_.swap(gathered_);
  }
  write({});
}

void Connection::write(View tail) {
  if (sending_.empty()) return;
  try {
    const Piece pieces[] = {{sending_.data(), sending_.size()}, {tail.data, tail.size}};
    link_->write(pieces, tail.size ? 2 : 1);
  } catch (const std::exception& e) {
    lose(e.what());
  }
  sending_.clear();
}

void Connection::pass_file(int file) {
  try {
    link_->pass_file(file);
  } catch (const std::exception& e) {
    lose(e.what());
    throw Failure(devices_unavailable);
  }
}

int Connection::take_file() {
  try {
    return link_->take_file();
  } catch (const std::exception& e) {
    lose(e.what());
    throw Failure(devices_unavailable);
  }
}

void Connection::finish(Waiting& waiting) {
  if (!waiting.come.load(std::memory_order_acquire)) {
    const Standing::Wait wait(handlers_.standing.get(), waiting.call);
    const u64 began = handlers_.ledger ? Ledger::now() : 0;
    sleep_until_set(waiting.come);
    if (handlers_.ledger) handlers_.ledger->waited(handlers_.device, waiting.call, began);
  }
  if (!waiting.error) return;
  const auto status = static_cast<Status>(waiting.error);
  if (sticky(status)) handlers_.trouble(status, true, "");
  throw Failure(status);
}

// The ticker sleeps while nothing is posted, so that an idle program costs nothing; waking it costs a call of the system once.
void Connection::rouse() {
  if (!asleep_.load(std::memory_order_seq_cst)) return;
  std::lock_guard hold(sleep_);
  asleep_ = false;
  wake_.notify_one();
}

void Connection::tick() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); // else 20 us are 70
  int idle = 0;
  while (!closing_) {
    const timespec rest{0, 20000};
    nanosleep(&rest, nullptr);
    bool any;
    {
      std::lock_guard hold(gathering_);
      any = !gathered_.empty();
    }
    if (any) {
      idle = 0;
      flush();
      continue;
    }
    if (++idle < 50) continue;
    std::unique_lock hold(sleep_);
    asleep_ = true;
    { // what was posted before the flag was seen
      std::lock_guard look(gathering_);
      if (!gathered_.empty()) asleep_ = false;
    }
    wake_.wait(hold, [this] { return !asleep_ || closing_; });
    idle = 0;
  }
  flush();
}

void Connection::read_all() {
  Waiting* reading = nullptr; // whose answer has begun to come
  try {
    for (;;) {
      AnswerHead head;
      if (link_->read(&head, sizeof head, sizeof head) < sizeof head) return lose("its worker has ended");
      Waiting* waiting = nullptr;
      if (head.number) {
        std::lock_guard hold(waiters_mutex_);
        const auto at = waiters_.find(head.number);
        if (at != waiters_.end()) {
          waiting = at->second;
          waiters_.erase(at);
        }
      }
      reading = waiting;
      const bool ahead = waiting && waiting->ahead;
      if (!ahead && handlers_.heard) handlers_.heard();
      const bool straight = waiting && waiting->into && head.error == 0 &&
                            head.answer == static_cast<std::uint16_t>(Answer::Bytes);
      if (head.bytes > (straight ? waiting->room : answer_limit))
        throw Error("its worker sent an answer longer than was asked for", "look at what its server says");
      std::vector<unsigned char> body;
      void* to = straight ? waiting->into : (body.resize(head.bytes), body.data());
      if (head.bytes) link_->read(to, head.bytes, head.bytes);
      if (waiting) {
        reading = nullptr;
        if (handlers_.ledger)
          handlers_.ledger->answered(handlers_.device, waiting->call, head.number, sizeof head + head.bytes);
        waiting->error = head.error;
        if (ahead && sticky(static_cast<Status>(head.error))) // nobody may ever ask for it
          handlers_.trouble(static_cast<Status>(head.error), true, "");
        if (waiting->then && head.error)
          handlers_.trouble(static_cast<Status>(head.error), sticky(static_cast<Status>(head.error)), "");
        waiting->answer = head.answer;
        if (!straight) waiting->body = std::move(body);
        answered(*waiting);
        continue;
      }
      View tail;
      const View bytes{body.data(), body.size()};
      if (head.answer == static_cast<std::uint16_t>(Answer::Trouble)) {
        answer::Trouble trouble;
        if (decode(bytes, trouble, tail))
          handlers_.trouble(static_cast<Status>(head.error), trouble.sticky != 0, trouble.what);
      } else if (head.answer == static_cast<std::uint16_t>(Answer::Reached)) {
        answer::Reached reached;
        if (decode(bytes, reached, tail)) handlers_.reached(reached.token);
      } else if (head.answer == static_cast<std::uint16_t>(Answer::Printed)) {
        handlers_.printed(bytes);
      }
    }
  } catch (const std::exception& e) {
    lose(e.what());
  }
  if (!reading) return;
  reading->error = static_cast<int>(devices_unavailable);
  answered(*reading);
}

void Connection::lose(const std::string& why) {
  std::unordered_map<u64, Waiting*> left;
  {
    std::lock_guard hold(waiters_mutex_);
    if (lost_.exchange(true)) return;
    left.swap(waiters_);
  }
  if (!closing_ && handlers_.lost) handlers_.lost(why);
  for (auto& [number, waiting] : left) {
    waiting->error = static_cast<int>(devices_unavailable);
    answered(*waiting);
  }
}

void Connection::answered(Waiting& waiting) {
  if (!waiting.then) return set_and_wake(waiting.come);
  waiting.then();
  delete &waiting;
}

void Connection::garbled() {
  lose("its worker sent an answer of another kind than was asked for");
  throw Failure(devices_unavailable);
}

} // namespace tasuki::remote

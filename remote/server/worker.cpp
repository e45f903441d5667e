#include <remote/server/worker.hpp>

#include <remote/server/calls.hpp>
#include <remote/server/incoming.hpp>
#include <remote/server/keep_alive.hpp>
#include <remote/server/output.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace tasuki::remote {

namespace {

constexpr std::size_t in_buffer = 64u << 10; // larger bodies are not taken through the reader's buffer

// One call: the rest of its frame is read, decoded and made. False: it is no call of ours.
bool serve_call(const CallHead& head, Incoming& in, Calls& calls) {
  const Row* row = row_of(head.call);
  if (!row || head.bytes > row->limit) return false;
  const auto make = [&](const auto& message, View tail) { calls.make(head, message, tail); };
  if (head.bytes <= in_buffer) return dispatch(head.call, in.take(head.bytes), make);
  const auto into_place =
      [&](auto message) { // a large copy: its bytes are read to where the device takes them
        using Message = decltype(message);
        std::array<unsigned char, Message::most> fields;
        in.take(fields.size(), fields.data());
        const std::size_t bytes = head.bytes - fields.size();
        unsigned char* at = calls.place(bytes);
        in.take(bytes, at);
        View none;
        if (Message::has_tail && !decode({fields.data(), fields.size()}, message, none)) return false;
        calls.make(head, message, {at, bytes});
        return true;
      };
  if (head.call == static_cast<std::uint16_t>(Call::CopyIn)) return into_place(call::CopyIn{});
  if (head.call == static_cast<std::uint16_t>(Call::CopyInBox)) return into_place(call::CopyInBox{});
  std::vector<unsigned char> body(head.bytes);
  in.take(body.size(), body.data());
  return dispatch(head.call, {body.data(), body.size()}, make);
}

// Whether a call is on the stream of the client's functions.
template <class Message>
auto on_stream_of_functions(const Message& message, int) -> decltype(message.stream, true) {
  return message.stream >= first_stream_of_functions;
}
template <class Message>
bool on_stream_of_functions(const Message&, long) {
  return false;
}

// Calls that are made by another thread than the one that reads. While a stream stops for the client, the device may take no
// more calls, and the one that lets the stream go on is still to be read. They are made in their order, but for those of a
// function of the client, which overtake a launch that waits for the function.
class Aside {
public:
  explicit Aside(Calls& calls) : calls_(calls), thread_([this] { work(); }) {}
  ~Aside() {
    {
      std::lock_guard hold(mutex_);
      end_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  bool idle() {
    std::lock_guard hold(mutex_);
    return frames_.empty() && !busy_;
  }
  // Waits where 1 GiB of calls is here: then a program that stops a stream that long stops with it.
  void add(const CallHead& head, std::vector<unsigned char> body, bool of_a_function) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return bytes_ < most; });
    bytes_ += body.size();
    frames_.push_back({head, std::move(body), of_a_function});
    changed_.notify_all();
  }

private:
  static constexpr std::size_t most = 1u << 30;
  static constexpr std::chrono::microseconds again{100}; // after which is looked whether a launch still waits
  struct Frame {
    CallHead head;
    std::vector<unsigned char> body;
    bool of_a_function;
  };
  bool must_wait(const Frame& frame) const {
    bool waits = false;
    dispatch(frame.head.call, {frame.body.data(), frame.body.size()},
             [&](const auto& message, View) { waits = calls_.must_wait(message); });
    return waits;
  }
  // The next to be made; none where the first waits, and nothing may overtake it.
  std::deque<Frame>::iterator next() {
    if (frames_.empty() || !must_wait(frames_.front())) return frames_.begin();
    return std::find_if(frames_.begin(), frames_.end(), [](const Frame& f) { return f.of_a_function; });
  }
  void work() {
    std::unique_lock hold(mutex_);
    for (;;) {
      changed_.wait(hold, [this] { return end_ || !frames_.empty(); });
      if (end_) return;
      const auto at = next();
      if (at == frames_.end()) {
        changed_.wait_for(hold, again);
        continue;
      }
      const auto [head, body, of_a_function] = std::move(*at);
      frames_.erase(at);
      bytes_ -= body.size();
      busy_ = true;
      hold.unlock();
      try {
        dispatch(head.call, {body.data(), body.size()},
                 [&, &h = head](const auto& message, View tail) { calls_.make(h, message, tail); });
      } catch (const LinkLost&) {
        // the thread that reads finds it, too
      }
      hold.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }
  Calls& calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  std::size_t bytes_ = 0;
  bool busy_ = false, end_ = false;
  std::thread thread_;
};

// As serve_call, by way of the other thread.
bool put_aside(const CallHead& head, Incoming& in, Calls& calls, Aside& aside, Replies& replies) {
  const Row* row = row_of(head.call);
  if (!row || head.bytes > row->limit) return false;
  std::vector<unsigned char> body(head.bytes);
  in.take(body.size(), body.data());
  const View bytes{body.data(), body.size()};
  if (head.call == static_cast<std::uint16_t>(Call::Release)) {
    call::Release release;
    View tail;
    if (!decode(bytes, release, tail)) return false;
    calls.release(release.token);
    if (head.wanted) replies.send(head.number, answer::Done{});
    return true;
  }
  bool of_a_function = false;
  const auto look = [&](const auto& message, View) { of_a_function = on_stream_of_functions(message, 0); };
  if (!dispatch(head.call, bytes, look)) return false;
  if (head.call == static_cast<std::uint16_t>(Call::HostCall)) {
    call::HostCall stop;
    View tail;
    decode(bytes, stop, tail);
    calls.expect(stop.token); // its release is not put aside, and may overtake it
  }
  aside.add(head, std::move(body), of_a_function);
  return true;
}

} // namespace

int serve_worker(Link& link, Device& device, const Grant& grant, Prints prints) {
  Replies replies(link);
  std::optional<Output> output;
  if (prints == Prints::at_the_client) output.emplace(replies);
  Incoming in(link);
  Calls calls(
      device, grant, replies, [&in] { return in.more(); }, output ? &*output : nullptr, &link);
  CallHead head;
  std::optional<KeepAlive> alive;
  if (grant.keep_alive.count() > 0) alive.emplace(device, grant.keep_alive);
  std::optional<Aside> aside;
  try {
    while (in.next(head)) {
      const auto turn = alive ? alive->call() : std::unique_lock<std::mutex>();
      if (!calls.may_wait() && !aside) aside.emplace(calls);
      if (const Row* row = row_of(head.call); row && row->logged == Logged::waits)
        replies.expect(head.number);
      if (grant.tally) grant.tally->calls.fetch_add(1, std::memory_order_relaxed);
      if (aside && calls.may_wait() && aside->idle()) aside.reset();
      const bool good = aside ? put_aside(head, in, calls, *aside, replies) : serve_call(head, in, calls);
      if (alive) alive->rests_at(aside ? 0 : calls.resting_memory());
      if (good) continue;
      std::fprintf(stderr, "tasuki gpus: %s sent what is no call; the link is shut\n", link.peer().c_str());
      link.shut();
      calls.let_go();
      return 1;
    }
  } catch (const LinkLost&) {
    // as when the client ends
  }
  link.shut();
  calls.let_go();
  return 0;
}

} // namespace tasuki::remote

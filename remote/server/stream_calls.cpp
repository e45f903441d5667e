// Streams, events, and what is waited for; streams that stop for the client.
#include <remote/server/calls.hpp>
#include <remote/server/refuse.hpp>

#include <algorithm>
#include <chrono>

namespace tasuki::remote {

// A stream that stops for the client goes on by a call that is still to be read, so nothing may be waited for until then.
bool Calls::may_wait() const {
  std::lock_guard hold(holds_->mutex);
  return holds_->waiting == 0;
}

bool Calls::soon(const std::function<bool()>& ready) {
  static const bool cores =
      std::thread::hardware_concurrency() > 2; // else the device's threads want this one
  const bool reads = std::this_thread::get_id() == reader_;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(cores ? 40 : 0);
  try {
    do {
      if (ready()) return true;
    } while (reads && may_wait() && !more_() && std::chrono::steady_clock::now() < end);
  } catch (const DeviceError&) {
    // whoever waits for it is told
  }
  return false;
}

void Calls::later(const std::function<bool()>& ready, std::function<void(u64)> rest) {
  if (!soon(ready)) return hand_over(std::move(rest));
  replied_ = true;
  rest(number_);
}

void Calls::hand_over(std::function<void(u64)> rest) {
  replied_ = true;
  waiters_.add([this, number = number_, rest = std::move(rest)] {
    try {
      try {
        rest(number);
      } catch (const DeviceError& e) {
        tell(number, true, e.status(), e.what());
      }
    } catch (const LinkLost&) {
      // nobody is there to be told
    }
  });
}

std::shared_ptr<const Mark>& Calls::event(u64 number) {
  const auto at = events_.find(number);
  if (at == events_.end())
    refuse(Status::invalid_resource_handle, "no such event", "create it on this device");
  return at->second;
}

std::shared_ptr<const Mark> Calls::mark(StreamId s) {
  auto here = std::make_shared<const Mark>(device_, Mark::no_times);
  device_.record(here->id(), s);
  return here;
}

void Calls::wait_for(std::vector<std::shared_ptr<const Mark>> marks) {
  hand_over([this, marks = std::move(marks)](u64 number) {
    for (const auto& mark : marks) device_.synchronize_event(mark->id());
    done_waiting(number);
  });
}

void Calls::on(const call::CreateStream& c, View) {
  room_in(streams_);
  if (c.stream == 0 || streams_.count(c.stream))
    refuse(Status::invalid_value, "a stream of this number is there", "take another");
  streams_[c.stream] = device_.create_stream(c.flags, c.priority);
}

void Calls::on(const call::DestroyStream& c, View) {
  const StreamId s = stream(c.stream);
  if (s == kLegacyStream) return;
  staging_.leaves(s);
  leaves(s);
  streams_.erase(c.stream);
  device_.destroy_stream(s);
}

// What a stream holds when it is destroyed is still done, and who waits for the device waits for that too.
void Calls::leaves(StreamId s) {
  try {
    if (captures_ > 0 && device_.captured(s)) return;
    left_.erase(std::remove_if(left_.begin(), left_.end(),
                               [this](const auto& mark) { return device_.event_done(mark->id()); }),
                left_.end());
    if (!device_.done(s)) left_.push_back(mark(s));
  } catch (const DeviceError&) {
    // whoever waits is told
  }
}

void Calls::settle() {
  if (output_) output_->flush();
  std::unique_lock hold(copies_mutex_);
  std::vector<u64> ready;
  for (const auto& [number, event] : copies_) {
    try {
      if (!device_.event_done(event)) continue;
    } catch (const DeviceError&) {
      // it will be answered with the fault, at once
    }
    ready.push_back(number);
  }
  copies_changed_.wait(hold, [&] {
    return std::none_of(ready.begin(), ready.end(), [this](u64 number) { return copies_.count(number); });
  });
}

void Calls::done_waiting(u64 number) {
  settle();
  replies_.send(number, answer::Done{});
}

// A wait is for what is there when it is asked: what comes after it may stop for the client, who waits for this answer first
// where a log is played.
void Calls::on(const call::WaitStream& c, View) {
  const StreamId s = stream(c.stream);
  if (device_.done(s)) return settle();
  if (!soon([&] { return device_.done(s); })) return wait_for({mark(s)});
  device_.synchronize(s);
  settle();
}

void Calls::on(const call::QueryStream& c, View) {
  if (device_.done(stream(c.stream))) return settle();
  reply(answer::Done{}, Status::not_ready);
}

void Calls::on(const call::WaitDevice&, View) {
  if (captures_ > 0)
    refuse(Status::capture_unsupported, "a device is waited for while a stream is captured",
           "end the capture first");
  const auto all_done = [this] {
    return device_.done(kLegacyStream) &&
           std::all_of(streams_.begin(), streams_.end(),
                       [this](const auto& s) { return device_.done(s.second); }) &&
           std::all_of(left_.begin(), left_.end(),
                       [this](const auto& mark) { return device_.event_done(mark->id()); });
  };
  if (soon(all_done)) {
    left_.clear();
    legacy_used_ = false;
    device_.synchronize(); // what kernels have printed comes by this
    return settle();
  }
  wait_for(under_way());
}

std::vector<std::shared_ptr<const Mark>> Calls::under_way() {
  std::vector<std::shared_ptr<const Mark>> marks = left_;
  for (const auto& [number, s] : streams_)
    if (!(captures_ > 0 && device_.captured(s)) && !device_.done(s)) marks.push_back(mark(s));
  // Streams that wait for the default one wait for this mark too: none is made where that stream has nothing of its own.
  if (legacy_used_ && !device_.done(kLegacyStream)) marks.push_back(mark(kLegacyStream));
  return marks;
}

void Calls::on(const call::CreateEvent& c, View) {
  room_in(events_);
  if (events_.count(c.event))
    refuse(Status::invalid_value, "an event of this number is there", "take another");
  events_[c.event] = std::make_shared<const Mark>(device_, c.flags);
}

void Calls::on(const call::DestroyEvent& c, View) {
  event(c.event);
  events_.erase(c.event);
}

void Calls::on(const call::Record& c, View) {
  const StreamId s = stream(c.stream);
  auto& e = event(c.event);
  if (e.use_count() > 1) // who waits for it waits for what it was
    e = std::make_shared<const Mark>(device_, e->flags());
  device_.record(e->id(), s);
}

void Calls::on(const call::WaitFor& c, View) {
  const StreamId s = stream(c.stream);
  if (captures_ > 0 && s != kLegacyStream) staging_.leaves(s); // it may join a capture by this
  device_.wait(s, event(c.event)->id());
}

void Calls::on(const call::WaitEvent& c, View) {
  const std::shared_ptr<const Mark> e = event(c.event);
  if (device_.event_done(e->id())) return settle();
  later([&] { return device_.event_done(e->id()); },
        [this, e](u64 number) {
          device_.synchronize_event(e->id());
          done_waiting(number);
        });
}

void Calls::on(const call::QueryEvent& c, View) {
  if (device_.event_done(event(c.event)->id())) return settle();
  reply(answer::Done{}, Status::not_ready);
}

void Calls::on(const call::Elapsed& c, View) {
  reply(answer::Duration{device_.elapsed(event(c.begin)->id(), event(c.end)->id())});
}

void Calls::Holds::take(std::multiset<u64>& tokens, u64 token) {
  if (const auto at = tokens.find(token); at != tokens.end()) tokens.erase(at);
}

// A stream that has come to a token which is released goes on.
void Calls::Holds::meet(u64 token) {
  const auto at = stopped.find(token);
  if (at == stopped.end() || !released.count(token)) return;
  take(released, token);
  take(coming, token);
  --waiting;
  at->second();
  stopped.erase(at);
}

void Calls::expect(u64 token) {
  std::lock_guard hold(holds_->mutex);
  holds_->coming.insert(token);
}

void Calls::on(const call::HostCall& c, View) {
  if (std::this_thread::get_id() == reader_) expect(c.token); // else it was when it was read
  bool now = false;                                           // else at the graph's launch
  try {
    const StreamId s = stream(c.stream);
    now = captures_ == 0 || s == kLegacyStream || !device_.captured(s);
    if (now) {
      std::lock_guard hold(holds_->mutex);
      ++holds_->waiting;
    }
    Stop stop;
    stop.come = [this, holds = holds_, token = c.token, now](std::function<void()> go_on) {
      std::lock_guard hold(holds->mutex);
      if (holds->end) return go_on(); // there may be no Calls any more
      if (!now) holds->coming.insert(token);
      holds->stopped.emplace(token, std::move(go_on));
      // By another thread: here no call of the device may be made.
      waiters_.add([this, token] {
        try {
          settle();
          replies_.send(0, answer::Reached{token});
        } catch (const LinkLost&) {
          // the stream goes on, and the worker ends
        }
      });
      holds->meet(token);
    };
    if (!now)
      stop.gone = [this, holds = holds_, functions = in_captures_] {
        std::lock_guard hold(holds->mutex);
        if (--*functions == 0 && !holds->end) leave();
      };
    device_.stop(s, std::move(stop));
  } catch (...) {
    std::lock_guard hold(holds_->mutex);
    Holds::take(holds_->coming, c.token);
    Holds::take(holds_->released, c.token);
    if (now) --holds_->waiting;
    throw;
  }
  if (now) return;
  std::lock_guard hold(holds_->mutex);
  Holds::take(holds_->coming, c.token);
}

void Calls::on(const call::Release& c, View) { release(c.token); }

void Calls::on(const call::Pause& c, View) { replies_.wait_for(c.number); }

void Calls::release(u64 token) {
  std::lock_guard hold(holds_->mutex);
  if (holds_->released.count(token) >= holds_->coming.count(token)) return; // of no stream
  holds_->released.insert(token);
  holds_->meet(token);
}

void Calls::let_go() {
  {
    std::lock_guard hold(peers_mutex_);
    for (const auto& [number, peer] : peers_) peer->end("the client has gone");
  }
  std::lock_guard hold(holds_->mutex);
  holds_->end = true;
  for (const auto& [token, go_on] : holds_->stopped) go_on();
  holds_->stopped.clear();
}

} // namespace tasuki::remote

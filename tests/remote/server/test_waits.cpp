// What is waited for, on a device whose waits are as long as a driver's may be: for all that is there when they end.
#include <gtest/gtest.h>

#include <deque>

#include "../memory_device.hpp"
#include "served.hpp"

using namespace tasuki::remote;

namespace {

// As a driver: one thread calls the functions of all streams. A fill stands while it is `shut`.
class LineDevice : public MemoryDevice {
public:
  explicit LineDevice(std::uint64_t memory) : MemoryDevice(memory), thread_([this] { work(); }) {}
  ~LineDevice() override {
    change([this] { end_ = true; });
    thread_.join();
  }
  void stop(StreamId, Stop stop) override {
    change([&] {
      line_.push_back(std::move(stop.come));
      ++entered_;
    });
  }
  bool done(StreamId) override {
    return ask([this] { return over_ == entered_; });
  }
  void record(EventId event, StreamId) override {
    change([&] { places_[event] = entered_; });
  }
  bool event_done(EventId event) override {
    return ask([&] { return over_ >= places_[event]; });
  }
  void synchronize_event(EventId event) override {
    wait([&] { return over_ >= places_[event]; });
  }
  void synchronize() override {
    wait([this] { return over_ == entered_; });
  }
  void fill(Address, std::uint32_t, int, std::uint64_t, std::uint64_t, std::uint64_t, StreamId) override {
    wait([this] { return !shut_; });
  }
  void shut(bool so) {
    change([&] { shut_ = so; });
  }
  int over() {
    return ask([this] { return over_; });
  }

private:
  void change(const std::function<void()>& change) {
    std::lock_guard hold(mutex_);
    change();
    changed_.notify_all();
  }
  int ask(const std::function<int()>& question) {
    std::lock_guard hold(mutex_);
    return question();
  }
  void wait(const std::function<bool()>& until) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, until);
  }
  void work() {
    std::unique_lock hold(mutex_);
    for (;;) {
      changed_.wait(hold, [this] { return end_ || !line_.empty(); });
      if (line_.empty()) return;
      const auto come = std::move(line_.front());
      line_.pop_front();
      hold.unlock();
      come([this] { change([this] { ++over_; }); });
      hold.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void(std::function<void()>)>> line_;
  std::map<EventId, int> places_;
  int entered_ = 0, over_ = 0;
  bool shut_ = false, end_ = false;
  std::thread thread_;
};

// In time; a hang ends the test.
bool comes_true(const std::function<bool()>& fact) {
  for (int n = 0; n < 20000; ++n) {
    if (fact()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(Waits, AreForWhatIsThereWhenTheyAreAsked) {
  std::atomic<int> answered{0};
  ServedBy<LineDevice> served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  const auto answer = [&] { ++answered; };
  worker.post(call::CreateStream{1, 0, 0});
  worker.post(call::CreateEvent{4, 0});
  worker.post(call::HostCall{1, 5});
  worker.post(call::Record{4, 1});
  worker.ask_then(call::WaitDevice{}, answer);
  worker.ask_then(call::WaitStream{1}, answer);
  worker.ask_then(call::WaitEvent{4}, answer);
  worker.post(call::HostCall{1, 6}); // as another thread of the program asks for it
  worker.post(call::Record{4, 1});
  worker.ask<answer::Memory>(call::MemoryInfo{}); // all of these are made
  EXPECT_EQ(answered, 0);
  worker.post(call::Release{5});
  worker.flush();
  EXPECT_TRUE(comes_true([&] { return answered == 3; })) << answered;
  EXPECT_EQ(served.device.over(), 1);
  worker.ask_then(call::WaitEvent{4}, answer); // recorded since
  worker.ask<answer::Memory>(call::MemoryInfo{});
  EXPECT_EQ(answered, 3);
  worker.post(call::Release{6});
  worker.ask<answer::Done>(call::WaitDevice{});
  EXPECT_TRUE(comes_true([&] { return answered == 4; }));
  EXPECT_EQ(told.error, 0);
}

// As where a log is played: the next call is made once the one before it has been answered.
TEST(Waits, APauseHoldsUpWhatIsBehindIt) {
  std::mutex mutex;
  std::vector<std::string> order;
  std::function<void()> go_on;
  ServedBy<LineDevice> served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  const auto note = [&](const char* what) {
    std::lock_guard hold(mutex);
    order.push_back(what);
  };
  served.device.stop(0, {[&](std::function<void()> go) {
                           std::lock_guard hold(mutex);
                           go_on = std::move(go);
                         },
                         {}});
  worker.post(call::Pause{1000}); // of no call
  worker.ask_then(call::WaitDevice{}, [&] { note("wait"); });
  worker.post(call::Pause{worker.calls()});
  worker.ask_then(call::MemoryInfo{}, [&] { note("behind"); });
  worker.flush();
  ASSERT_TRUE(comes_true([&] {
    std::lock_guard hold(mutex);
    return go_on != nullptr;
  }));
  go_on();
  EXPECT_TRUE(comes_true([&] {
    std::lock_guard hold(mutex);
    return order.size() == 2;
  }));
  EXPECT_EQ(order, (std::vector<std::string>{"wait", "behind"}));
  EXPECT_EQ(told.error, 0);
}

// Whichever of them is released first, or which the program is asked for: replicas of a device come to them in other orders.
TEST(Waits, StreamsThatStopHoldUpNoOther) {
  std::mutex mutex;
  std::vector<u64> reached;
  ServedBy<LineDevice> served;
  Told told;
  auto handlers = told.handlers();
  handlers.reached = [&](u64 token) {
    std::lock_guard hold(mutex);
    reached.push_back(token);
  };
  Connection worker(std::move(served.client), std::move(handlers));
  const auto come = [&](std::size_t count) {
    return comes_true([&] {
      std::lock_guard hold(mutex);
      return reached.size() == count;
    });
  };
  for (const u64 stream : {1, 2, 3}) worker.post(call::CreateStream{stream, 0, 0});
  for (const u64 stream : {1, 2}) worker.post(call::HostCall{stream, 10 + stream});
  worker.flush();
  ASSERT_TRUE(come(2));
  EXPECT_EQ(served.device.over(), 0);
  worker.post(call::Release{12});
  worker.post(call::HostCall{3, 13});
  worker.flush();
  ASSERT_TRUE(come(3));
  EXPECT_TRUE(comes_true([&] { return served.device.over() == 1; }));
  worker.post(call::Release{13});
  worker.post(call::Release{11});
  worker.ask<answer::Done>(call::WaitDevice{});
  EXPECT_EQ(served.device.over(), 3);
  EXPECT_EQ(told.error, 0);
}

TEST(Waits, ForADeviceAreForStreamsThatWereDestroyedToo) {
  std::atomic<int> over{-1};
  ServedBy<LineDevice> served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  worker.post(call::CreateStream{1, 0, 0});
  worker.post(call::HostCall{1, 5});
  worker.post(call::DestroyStream{1});
  worker.ask_then(call::WaitDevice{}, [&] { over = served.device.over(); });
  worker.ask<answer::Memory>(call::MemoryInfo{});
  worker.post(call::Release{5});
  worker.flush();
  EXPECT_TRUE(comes_true([&] { return over >= 0; }));
  EXPECT_EQ(over, 1);
}

TEST(Waits, WhatIsReleasedBeforeItsStreamStopsGoesOn) {
  ServedBy<LineDevice> served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  served.device.shut(true);
  worker.post(call::HostCall{0, 5});
  worker.post(call::Fill{0, 0, 0, 0}); // what comes next stands in line behind this
  worker.post(call::HostCall{0, 6});
  worker.post(call::Release{5});
  worker.flush();
  EXPECT_TRUE(comes_true([&] { return served.device.over() == 1; })); // no stream stops now
  worker.post(call::Release{6});
  worker.post(call::Release{77}); // of no stream
  worker.flush();
  EXPECT_TRUE(comes_true([&] { return served.tally.calls == 6; }));
  served.device.shut(false);
  EXPECT_TRUE(comes_true([&] { return served.device.over() == 2; }));
  EXPECT_EQ(told.error, 0);
}

} // namespace

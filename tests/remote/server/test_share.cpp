// A GPU's time among its clients: the rule on a clock of the test's own, and workers of a device whose work the test does.
#include <remote/server/calls.hpp>

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>

#include "../memory_device.hpp"
#include "nowhere.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 ms = 1'000'000;

// Both ask all the time; a launch of the first takes ten times as long. Each has the same time, so the second ten times the launches.
TEST(Share, IsOfTimeAndNotOfLaunches) {
  Share share;
  std::array<Turn, 2> turns{Turn(&share, 0), Turn(&share, 1)};
  share.clients[0].workers = share.clients[1].workers = 1;
  const std::array<u64, 2> costs{10 * ms, ms};
  std::array<u64, 2> launches{}, used{};
  u64 now = 1000 * ms;
  for (int n = 0; n < 2000; ++n)
    for (int one = 0; one < 2; ++one) {
      now += ms / 10;
      if (!turns[one].comes(now)) continue;
      ++launches[one];
      used[one] += costs[one];
      turns[one].used(costs[one]);
    }
  EXPECT_GT(launches[0], 50u);
  EXPECT_GT(launches[1], 8 * launches[0]);
  EXPECT_LT(launches[1], 12 * launches[0]);
}

// Nobody waits for a client that asks for nothing, and it has not saved up what it left.
TEST(Share, OfWhoAsksForNothingGoesToTheOthers) {
  Share share;
  Turn busy(&share, 0), late(&share, 1);
  share.clients[0].workers = share.clients[1].workers = 1;
  u64 now = 1000 * ms;
  EXPECT_TRUE(late.comes(now));
  for (int n = 0; n < 1000; ++n) {
    now += ms;
    if (n > 30) {
      EXPECT_TRUE(busy.comes(now)) << n;
    }
    busy.used(ms);
  }
  EXPECT_TRUE(late.comes(now)); // from here on half is its own, and no more
  int of_busy = 0, of_late = 0;
  for (int n = 0; n < 1000; ++n) {
    now += ms / 10;
    if (busy.comes(now)) ++of_busy, busy.used(ms);
    if (late.comes(now)) ++of_late, late.used(ms);
  }
  EXPECT_GT(of_busy, of_late * 9 / 10);
  EXPECT_GT(of_late, of_busy * 9 / 10);
}

TEST(Share, OfAClientThatIsGoneIsFree) {
  Share share;
  Turn one(&share, 0), other(&share, 1);
  share.clients[0].workers = 1;
  EXPECT_TRUE(one.alone());
  share.clients[1].workers = 1;
  EXPECT_FALSE(one.alone());
  EXPECT_TRUE(other.comes(1000 * ms));
  one.used(100 * ms);
  EXPECT_FALSE(one.comes(1000 * ms));
  share.clients[1].workers = 0;
  EXPECT_TRUE(one.comes(1000 * ms));
  EXPECT_TRUE(Turn().alone());
}

// A GPU that does what its clients enqueue in the order in which it came, on a clock of its own.
class Gpu {
public:
  static constexpr int launches = 300; // of each client
  Gpu() : thread_([this] { work(); }) {}
  ~Gpu() {
    {
      std::lock_guard hold(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  void launch(int client) { push({client, 0}); }
  void record(int client, EventId event) {
    {
      std::lock_guard hold(mutex_);
      times_.erase({client, event});
    }
    push({client, event});
  }
  bool passed(int client, EventId event) {
    std::lock_guard hold(mutex_);
    return times_.count({client, event}) > 0;
  }
  float between(int client, EventId begin, EventId end) {
    std::lock_guard hold(mutex_);
    return times_.at({client, end}) - times_.at({client, begin});
  }
  int enqueued(int client) {
    std::lock_guard hold(mutex_);
    return enqueued_[client];
  }
  // Whose launches were done, once all are.
  std::vector<int> order() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return order_.size() == 2 * launches; });
    return order_;
  }

private:
  struct Item {
    int client;
    EventId event; // 0: a launch
  };
  void push(const Item& item) {
    std::lock_guard hold(mutex_);
    items_.push_back(item);
    if (!item.event) ++here_[item.client], ++enqueued_[item.client];
    changed_.notify_all();
  }
  bool both_here() const {
    for (const int client : {0, 1})
      if (here_[client] == 0 && enqueued_[client] < launches) return false;
    return true;
  }
  void work() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return over_ || (here_[0] && here_[1]); });
    for (;;) {
      changed_.wait(hold, [this] { return over_ || !items_.empty(); });
      if (over_) return;
      // It stands a while where a client that is not through has nothing here, so that no machine is too slow for this test.
      changed_.wait_for(hold, std::chrono::milliseconds(5), [this] { return over_ || both_here(); });
      bool done = false; // a launch
      while (!items_.empty() && !(done && !items_.front().event)) {
        const Item item = items_.front();
        items_.pop_front();
        if (item.event) {
          times_[{item.client, item.event}] = now_;
        } else {
          done = true;
          now_ += 1;
          --here_[item.client];
          order_.push_back(item.client);
        }
      }
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::array<int, 2> here_{}, enqueued_{};
  std::vector<int> order_;
  std::map<std::pair<int, EventId>, float> times_;
  float now_ = 0; // milliseconds
  bool over_ = false;
  std::thread thread_;
};

class GpuOfClient : public MemoryDevice {
public:
  GpuOfClient(Gpu& gpu, int client) : gpu_(gpu), client_(client) {}
  void launch(const Launch&, Bytes) override { gpu_.launch(client_); }
  void record(EventId event, StreamId) override { gpu_.record(client_, event); }
  bool event_done(EventId event) override { return gpu_.passed(client_, event); }
  float elapsed(EventId from, EventId to) override { return gpu_.between(client_, from, to); }

private:
  Gpu& gpu_;
  const int client_;
};

void greedy(Gpu& gpu, Share* share, int client) {
  GpuOfClient device(gpu, client);
  Nowhere nowhere;
  Replies replies(nowhere);
  Grant grant;
  grant.share = share;
  grant.slot = client;
  Calls calls(device, grant, replies, [] { return true; });
  CallHead head;
  head.number = 1;
  calls.make(head, call::ModuleBytes{1, 4, 0}, {"PTX", 4});
  calls.make(head, call::Load{1}, {});
  calls.make(head, call::FindKernel{1, 2, "halve"}, {});
  call::Launch launch;
  launch.kernel = 2;
  for (int n = 0; n < Gpu::launches; ++n) calls.make(head, launch, {});
  gpu.order(); // the device stays as long as the GPU works for it
}

// One client has enqueued all that it may before the other begins. Where the GPU is shared that is little, and both come on at the
// same rate; where it is not, the other waits for the end of it all.
TEST(Share, TwoGreedyClientsComeOnAtTheSameRate) {
  for (const bool shared : {false, true}) {
    Gpu gpu;
    Share share;
    share.clients[0].workers = share.clients[1].workers = 1;
    Share* given = shared ? &share : nullptr;
    std::thread first([&] { greedy(gpu, given, 0); });
    while (gpu.enqueued(0) < (shared ? 4 : Gpu::launches)) std::this_thread::yield();
    std::thread second([&] { greedy(gpu, given, 1); });
    const std::vector<int> order = gpu.order();
    first.join();
    second.join();
    const auto of_second = std::count(order.begin(), order.begin() + Gpu::launches, 1);
    EXPECT_EQ(of_second > 0, shared);
    if (shared) {
      EXPECT_GT(of_second, Gpu::launches / 4);
      EXPECT_LT(of_second, Gpu::launches * 3 / 4);
    }
  }
}

} // namespace

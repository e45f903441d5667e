#include <tasuki/base/mpi_info.hpp>
#include <tasuki/base/variables.hpp>
#include <tasuki/channel/courier.hpp>

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>

namespace tasuki {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kPause(
    50); // the sleep of a thread that only listens: it uses 1 % of a core, and delays a reply by at most this

Flag load(Flag* flag) { return std::atomic_ref<Flag>(*flag).load(std::memory_order_acquire); }
bool before(Flag a, Flag b) { return static_cast<std::int32_t>(a - b) < 0; } // turns may wrap around

// For tests: with TASUKI_COURIER_DELAY=n, a courier sleeps up to n us before it sends and before it sets `arrived`.
class Delay {
public:
  explicit Delay(unsigned seed) : random_(seed) {
    most_ = static_cast<long>(variable_number<unsigned long>("TASUKI_COURIER_DELAY").value_or(0));
  }
  void operator()() {
    if (most_ <= 0) return;
    const long now = std::uniform_int_distribution<long>(-most_, most_)(random_); // often negative: no sleep
    if (now > 0) std::this_thread::sleep_for(microseconds(now));
  }

private:
  std::minstd_rand random_;
  long most_ = 0;
};

// Whether a device has communication threads. The same on all ranks if all have the same MPI.
bool serves(Device& device) {
  using Wish = ProgressCores::Wish;
  World& world = device.world();
  const Wish wish = parse_progress_cores(world.settings().progress_cores).wish;
  if (wish == Wish::none || !mpi_serves_threads(world)) return false;
  return wish != Wish::automatic || device.cuda();
}

// The courier of a world, for the devices that use one. Channels share its ownership, since parts of a world may be
// destroyed before them.
struct Kept {
  explicit Kept(World& world) {
    auto& device = world.part<Device>();
    if (serves(device)) courier = std::make_shared<Courier>(device, world.progress_cores());
  }
  std::shared_ptr<Courier> courier;
};

} // namespace

class Courier::Thread {
public:
  Thread(Device& device, int core, unsigned number)
      : device_(device),
        core_(core),
        hot_(device.world().crowded() ? 0 : 2000),
        delay_(number),
        thread_([this] { run(); }) {}

  ~Thread() {
    stop_ = true;
    wake();
    thread_.join();
  }

  void wake() {
    {
      const std::lock_guard lock(calling_);
      ++calls_;
    }
    called_.notify_one();
  }

  void add(Duty& duty) {
    visit([&] { duties_.push_back(&duty); });
    wake();
  }
  void remove(Duty& duty) {
    visit([&] { std::erase(duties_, &duty); });
  }

private:
  // Locks the duties. The counter makes the thread yield, since it would otherwise relock before a waiting caller.
  template <class Change>
  void visit(const Change& change) {
    ++visitors_;
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    --visitors_;
  }

  void run() {
    choose_core();
    device_.use();
    auto looked_at = Clock::now();
    for (long idle = 0; !stop_;) {
      const std::uint32_t calls = calls_;
      bool moved = false, wanted = false, listens = false;
      {
        const std::lock_guard lock(mutex_);
        for (Duty* duty : duties_) {
          moved |= duty->advance([this] { delay_(); });
          wanted |= !duty->settled();
          listens |= duty->listens();
        }
      }
      while (visitors_ > 0) std::this_thread::yield();
      idle = moved ? 0 : idle + 1;
      if (!wanted) {
        if ((!listens || idle > hot_) && called_after(calls, listens)) idle = 0;
        continue;
      }
      if (idle > hot_) std::this_thread::yield();
      if ((idle & 255) != 1) continue;
      const auto now = Clock::now();
      if (now - looked_at > std::chrono::milliseconds(500)) {
        device_.world().expect_neighbours("a message from a neighbour");
        looked_at = now;
      }
    }
  }

  // Sleeps until the number of calls exceeds `calls`, or for kPause if the thread listens. True if it was called.
  bool called_after(std::uint32_t calls, bool listens) {
    std::unique_lock lock(calling_);
    // The destructor may set stop_ after the loop has tested it and before the loop reads calls_.
    const auto called = [&] { return calls_ != calls || stop_; };
    if (listens) return called_.wait_for(lock, kPause, called);
    called_.wait(lock, called);
    return true;
  }

  // Lets the thread run on any core, unless the launcher gave the rank exactly as many cores as it has threads.
  void choose_core() const {
    if (core_ >= 0) {
      bind_this_thread({core_});
      return;
    }
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0 || CPU_COUNT(&own) > device_.world().threads()) return;
    std::vector<int> all(CPU_SETSIZE); // the system ignores cores that do not exist
    std::iota(all.begin(), all.end(), 0);
    bind_this_thread(all);
  }

  Device& device_;
  const int core_;
  const long hot_; // iterations without work, after which the thread yields its core
  Delay delay_;
  std::mutex mutex_;
  std::vector<Duty*> duties_;
  std::atomic<int> visitors_{0};
  std::mutex calling_;
  std::condition_variable called_;
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_; // last, because the thread uses the other members
};

namespace {

struct Serving {
  explicit Serving(World& world) {
    auto& device = world.part<Device>();
    courier = Courier::of(device);
    if (!courier) courier = std::make_shared<Courier>(device, world.progress_cores());
  }
  std::shared_ptr<Courier> courier;
};

} // namespace

std::shared_ptr<Courier> Courier::of(Device& device) {
  return serves(device) ? device.world().part<Kept>().courier : nullptr;
}
std::shared_ptr<Courier> Courier::serving(Device& device) { return device.world().part<Serving>().courier; }

void Courier::take(Duty& duty, int thread) { threads_.at(static_cast<std::size_t>(thread))->add(duty); }
void Courier::leave(Duty& duty, int thread) { threads_.at(static_cast<std::size_t>(thread))->remove(duty); }

Courier::Courier(Device& device, const std::vector<int>& cores) : world_(device.world()) {
  const unsigned seed = 1 + static_cast<unsigned>(world_.rank()) * 64;
  for (const int core : cores.empty() ? std::vector<int>{-1} : cores)
    threads_.push_back(std::make_unique<Thread>(device, core, seed + static_cast<unsigned>(threads_.size())));
}

Courier::~Courier() = default;

Delivery::Delivery(std::shared_ptr<Courier> courier, int thread, Haul haul)
    : courier_(std::move(courier)), thread_(thread), haul_(std::move(haul)) {
  courier_->take(*this, thread_);
}

Delivery::~Delivery() {
  const bool hasty = unwinding();
  if (!hasty) courier_->world_.wait_until([this] { return settled(); }, "a neighbour to take a message");
  courier_->leave(*this, thread_);
  // Ends the wait of a stream for a message that will not arrive; the wait would keep the memory from being freed.
  if (hasty) std::atomic_ref<Flag>(*haul_.arrived).store(announced_, std::memory_order_release);
}

void Delivery::announce(Flag turn) {
  announced_ = turn;
  courier_->threads_[thread_]->wake();
}

Flag Delivery::arrived() const { return load(haul_.arrived); }

bool Delivery::settled() const { return sent_ == announced_ && arrived() == announced_; }

bool Delivery::advance(const std::function<void()>& delay) {
  const Flag packed = load(haul_.packed), sides = static_cast<Flag>(haul_.sides.size());
  bool moved = false;
  if (before(started_, packed)) {
    delay();
    side(++started_).sends.start();
    moved = true;
  }
  // Receives are posted in the order of the turns, since MPI matches messages of one tag in order. Only announced
  // turns are posted: an unused receive would match a message of a later channel with the same tag.
  for (const Flag last = announced_; before(posted_, packed + sides - 1) && before(posted_, last);
       moved = true)
    side(++posted_).receives.start();
  while (before(sent_, started_) && side(sent_ + 1).sends.done()) {
    ++sent_;
    moved = true;
  }
  const Flag next = arrived_ + 1;
  if (before(arrived_, started_) && !before(sent_, next + 1 - sides) && side(next).receives.done()) {
    delay();
    arrived_ = next;
    std::atomic_ref<Flag>(*haul_.arrived).store(next, std::memory_order_release);
    moved = true;
  }
  return moved;
}

} // namespace tasuki

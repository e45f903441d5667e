// Calls of many threads on streams of several devices, against what streams and events promise: random ones, over links of
// several latencies. Each slot of memory has a model of its bytes, which a thread changes as it makes the call. Whoever uses a slot
// next orders the call behind the last one by some way that CUDA knows, or by none where it is of the same stream.
#include <gtest/gtest.h>

#include <remote/client/follow.hpp>
#include <remote/client/virtual_device.hpp>
#include <remote/device/host.hpp>
#include <remote/link/socket.hpp>
#include <remote/link/trial.hpp>
#include <remote/server/worker.hpp>

#include <sys/socket.h>

#include <deque>
#include <future>
#include <iostream>
#include <random>

#include "late_device.hpp"

using namespace tasuki::remote;

namespace {

constexpr int devices = 3, streams = 4, threads = 8, slots_of_a_device = 10;
constexpr u64 arena = 4ull << 30,
              apart = 64ull << 30; // bytes of addresses; from the client's to the worker's
// Where one of the sanitizers, or none, leaves room.
constexpr u64 bases[] = {0x4000000000, 0x400000000000, 0x7ea000000000};

int seed_of_test() {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  return given ? std::atoi(given) : static_cast<int>(std::random_device()() >> 1);
}

// A worker on a thread of this process. Its device has the arena elsewhere than the client, who keeps the addresses free.
class Served {
public:
  Served(int number, const Trial& trial, unsigned seed) : device_(apart, seed) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) std::abort();
    auto there = tried(std::make_unique<SocketLink>(Descriptor(pair[1]), "client"), trial);
    worker_ = std::thread([this, link = std::move(there)] { serve_worker(*link, device_, {}); });
    std::vector<ArenaPlace> places;
    for (const u64 base : bases) places.push_back({base + static_cast<u64>(number) * arena, arena});
    auto here = tried(std::make_unique<SocketLink>(Descriptor(pair[0]), "worker"), trial);
    client =
        std::make_unique<VirtualDevice>(number, std::move(here), "device " + std::to_string(number), places);
  }
  ~Served() {
    client.reset();
    worker_.join();
  }

private:
  LateDevice device_;
  std::thread worker_;

public:
  std::unique_ptr<VirtualDevice> client;
};

struct Stream {
  VirtualDevice* device = nullptr;
  u64 number = 0;
  bool blocking = true; // the default stream waits for it, and it for that one
};

struct Slot {
  std::mutex mutex;
  u64 address = 0;
  std::vector<unsigned char> bytes; // as they are once all calls have been done
  const Stream* last = nullptr;     // of the last call that used it; null: the host has waited for it
};

struct Program {
  Program(const Trial& trial, std::mt19937& dice) {
    for (int d = 0; d < devices; ++d) {
      served.push_back(std::make_unique<Served>(d, trial, static_cast<unsigned>(dice())));
      VirtualDevice& device = *served.back()->client;
      lines.push_back({&device, 0, true});
      for (int s = 1; s < streams; ++s) {
        const bool blocking = s != 1;
        lines.push_back({&device, device.fresh(), blocking});
        device.calls().post(call::CreateStream{lines.back().number, blocking ? 0u : 1u, 0});
      }
      for (int n = 0; n < slots_of_a_device; ++n) {
        // Some are larger than what a batch of calls takes.
        Slot& slot = slots.emplace_back();
        slot.bytes.resize(n % 5 ? 64 + dice() % 4000 : Connection::copied + dice() % 50000);
        slot.address = device.allocate(slot.bytes.size());
        device.calls().post(call::Fill{slot.address, slot.bytes.size(), 0, 0});
      }
      device.synchronize();
    }
  }
  const Stream& stream(int device, int number) const {
    return lines[static_cast<std::size_t>(device * streams + number)];
  }
  Slot& slot(int device, int number) {
    return slots[static_cast<std::size_t>(device * slots_of_a_device + number)];
  }

  std::vector<std::unique_ptr<Served>> served;
  std::deque<Stream> lines;
  std::deque<Slot> slots;
  std::atomic<int> wrong{0};
};

// One thread of the program.
class Player {
public:
  Player(Program& program, unsigned seed) : program_(program), dice_(seed) {
    for (int d = 0; d < devices; ++d) {
      VirtualDevice& device = *program.served[static_cast<std::size_t>(d)]->client;
      events_.push_back(device.fresh());
      device.calls().post(call::CreateEvent{events_.back(), 0});
    }
  }

  void step() {
    const int d = any(devices);
    const Stream& stream = program_.stream(d, any(streams));
    const int first = any(slots_of_a_device), second = any(slots_of_a_device);
    Slot& slot = program_.slot(d, first);
    const std::unique_lock hold(slot.mutex);
    if (const int what = any(8); what == 0 && first != second) {
      Slot& from = program_.slot(d, second);
      const std::unique_lock also(from.mutex, std::try_to_lock); // else two threads could wait for each other
      if (also) copy(d, slot, from, stream);
    } else if (what == 1) {
      follows_another_device(d, stream);
    } else {
      order(d, slot, stream);
      slot.last = &stream;
      if (what < 4)
        write(slot, stream);
      else
        read(slot, stream);
    }
  }

private:
  int any(int count) { return static_cast<int>(dice_() % static_cast<unsigned>(count)); }

  // What the stream does next comes behind what the slot was last used for.
  void order(int d, const Slot& slot, const Stream& stream) {
    const Stream* last = slot.last;
    if (!last || last == &stream) return;
    if ((last->number == 0 && stream.blocking) || (stream.number == 0 && last->blocking)) return;
    VirtualDevice& device = *stream.device;
    const u64 event = events_[static_cast<std::size_t>(d)]; // recorded again and again
    switch (any(7)) {
      case 0: device.calls().ask<answer::Done>(call::WaitStream{last->number}); return;
      case 1: device.synchronize(); return;
      case 2: return until_done(device, call::QueryStream{last->number});
      case 3: {
        std::promise<void> come;
        device.host_call(last->number, [&come] { come.set_value(); });
        return come.get_future().wait();
      }
      case 4:
        device.calls().post(call::Record{event, last->number});
        device.calls().ask<answer::Done>(call::WaitEvent{event});
        return;
      case 5:
        device.calls().post(call::Record{event, last->number});
        return until_done(device, call::QueryEvent{event});
      default:
        device.calls().post(call::Record{event, last->number});
        device.calls().post(call::WaitFor{stream.number, event});
    }
  }
  template <class Query>
  static void until_done(VirtualDevice& device, const Query& query) {
    for (;;) {
      try {
        device.calls().ask<answer::Done>(query);
        return;
      } catch (const Failure& f) {
        if (f.status() != Status::not_ready) throw;
        std::this_thread::yield();
      }
    }
  }

  void write(Slot& slot, const Stream& stream) {
    VirtualDevice& device = *stream.device;
    const u64 bytes = slot.bytes.size();
    if (any(2)) {
      const u32 value = dice_() & 255;
      device.calls().post(call::Fill{slot.address, bytes, value, stream.number});
      slot.bytes.assign(bytes, static_cast<unsigned char>(value));
      return device.busy();
    }
    fill_with_dice(slot.bytes);
    if (any(2)) return device.copy_in(slot.address, slot.bytes.data(), bytes, stream.number);
    // Pinned memory that a function of the program's fills before the stream comes to the copy.
    auto source = std::make_shared<std::vector<unsigned char>>(bytes);
    device.host_call(stream.number, [source, filled = slot.bytes] { *source = filled; });
    device.copy_in_order(stream.number, [&device, source, to = slot.address](u64 quiet) {
      device.copy_in(to, source->data(), source->size(), quiet);
    });
  }
  void read(Slot& slot, const Stream& stream) {
    VirtualDevice& device = *stream.device;
    std::vector<unsigned char> got(slot.bytes.size());
    if (any(3)) {
      device.copy_out(got.data(), slot.address, got.size(), stream.number);
    } else {
      device.copy_out_later(got.data(), slot.address, got.size(), stream.number);
      device.calls().ask<answer::Done>(call::WaitStream{stream.number});
    }
    if (got != slot.bytes) ++program_.wrong;
  }
  void copy(int d, Slot& to, Slot& from, const Stream& stream) {
    order(d, to, stream);
    order(d, from, stream);
    const u64 bytes = std::min(to.bytes.size(), from.bytes.size());
    stream.device->calls().post(call::Copy{to.address, from.address, bytes, stream.number});
    stream.device->busy();
    std::copy_n(from.bytes.begin(), bytes, to.bytes.begin());
    to.last = from.last = &stream;
  }
  // What a stream does behind an event of another device's is done after what that one did before.
  void follows_another_device(int d, const Stream& stream) {
    const int o = (d + 1 + any(devices - 1)) % devices;
    const Stream& other = program_.stream(o, any(streams));
    auto done = std::make_shared<std::atomic<bool>>(false);
    other.device->host_call(other.number, [done] { *done = true; });
    other.device->calls().post(call::Record{events_[static_cast<std::size_t>(o)], other.number});
    follow(*stream.device, stream.number, *other.device, events_[static_cast<std::size_t>(o)]);
    stream.device->host_call(stream.number, [done, &wrong = program_.wrong] {
      if (!*done) ++wrong;
    });
  }
  void fill_with_dice(std::vector<unsigned char>& bytes) {
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(dice_());
  }

  Program& program_;
  std::mt19937 dice_;
  std::vector<u64> events_; // of each device
};

TEST(Order, OfRandomCallsIsThatOfStreamsAndEvents) {
  const int seed = seed_of_test();
  std::cout << "seed " << seed << '\n';
  std::mt19937 dice(static_cast<unsigned>(seed));
  struct Round {
    const char* delay;
    int steps; // of a thread
  };
  for (const auto [delay, steps] :
       {Round{"delay=0us", 250}, Round{"delay=100us", 120}, Round{"delay=2ms", 40}}) {
    SCOPED_TRACE(delay);
    Program program(parse_trial(delay), dice);
    std::vector<std::future<void>> playing;
    for (int t = 0; t < threads; ++t)
      playing.push_back(
          std::async(std::launch::async, [&program, count = steps, own = static_cast<unsigned>(dice())] {
            Player player(program, own);
            for (int n = 0; n < count; ++n) player.step();
          }));
    for (auto& thread : playing) thread.get();
    for (int d = 0; d < devices; ++d) {
      VirtualDevice& device = *program.served[static_cast<std::size_t>(d)]->client;
      device.synchronize();
      EXPECT_NO_THROW(device.check());
      for (int n = 0; n < slots_of_a_device; ++n) {
        Slot& slot = program.slot(d, n);
        std::vector<unsigned char> got(slot.bytes.size());
        device.copy_out(got.data(), slot.address, got.size(), 0);
        EXPECT_EQ(got, slot.bytes) << "slot " << n << " of device " << d;
      }
    }
    EXPECT_EQ(program.wrong, 0);
  }
}

} // namespace

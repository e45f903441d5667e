// An idle device is touched while there is memory to be read, and not where that is not wanted.
#include <atomic>

#include "../free_range.hpp"
#include "../memory_device.hpp"
#include "served.hpp"

namespace tasuki::remote {
namespace {

struct Touched : MemoryDevice {
  using MemoryDevice::MemoryDevice;
  void copy_out(void* to, Address from, std::uint64_t bytes, StreamId stream) override {
    ++copies;
    MemoryDevice::copy_out(to, from, bytes, stream);
  }
  void begin_capture(StreamId) override {}
  GraphId end_capture(StreamId, std::uint64_t&) override { return 1; }
  std::atomic<int> copies{0};
};

constexpr u64 base = free_range, unit = 2u << 20;
constexpr std::chrono::microseconds often{500}, some{30000};

TEST(KeepAlive, TouchesAnIdleDeviceThatHasMemory) {
  ServedBy<Touched> served(64u << 20, often);
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  worker.ask<answer::Done>(call::Reserve{base, 1ull << 30});
  std::this_thread::sleep_for(some);
  EXPECT_EQ(served.device.copies, 0); // there is nothing to be read
  worker.post(call::Map{base, unit});
  worker.post(call::Fill{base, unit, 7, 0});
  worker.ask<answer::Done>(call::WaitDevice{});
  const auto goes_on = [&] {
    const int before = served.device.copies;
    for (int n = 0; n < 20000 && served.device.copies < before + 3; ++n)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return served.device.copies >= before + 3;
  };
  EXPECT_TRUE(goes_on());
  worker.post(call::CreateStream{1, 1, 0});
  worker.post(call::BeginCapture{1});
  worker.ask<answer::Memory>(call::MemoryInfo{});
  const int captured = served.device.copies;
  std::this_thread::sleep_for(some);
  EXPECT_EQ(served.device.copies, captured); // what a stream is captured for may forbid it
  worker.ask<answer::Number>(call::EndCapture{1, 5});
  EXPECT_TRUE(goes_on());
  worker.post(call::Unmap{base, unit});
  worker.ask<answer::Done>(call::WaitDevice{});
  const int unmapped = served.device.copies;
  std::this_thread::sleep_for(some);
  EXPECT_EQ(served.device.copies, unmapped);
  EXPECT_EQ(told.error, 0);
}

TEST(KeepAlive, IsOffUnlessAskedFor) {
  ServedBy<Touched> served;
  Told told;
  Connection worker(std::move(served.client), told.handlers());
  worker.ask<answer::Done>(call::Reserve{base, 1ull << 30});
  worker.post(call::Map{base, unit});
  worker.ask<answer::Done>(call::WaitDevice{});
  std::this_thread::sleep_for(some);
  EXPECT_EQ(served.device.copies, 0);
}

} // namespace
} // namespace tasuki::remote

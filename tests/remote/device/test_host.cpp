// The host in a GPU's place: what a worker asks of a device, by the kernels of tests/remote/ptx.
#include <remote/device/host.hpp>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "../free_range.hpp"

namespace tasuki::remote {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream in(std::string(TASUKI_PTX_TESTS) + "/" + name);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

constexpr Address kArena = free_range;
constexpr std::uint64_t kMiB = 1u << 20;

class Host : public testing::Test {
protected:
  Host() {
    HostOptions options;
    options.memory = 64 * kMiB;
    options.threads = 2;
    options.print = [this](const std::string& text) {
      const std::lock_guard<std::mutex> lock(mutex_);
      printed += text;
    };
    device = open_host(options);
    device->reserve(kArena, 1024 * kMiB);
  }
  LibraryId load(const std::string& name) {
    const std::string text = text_of(name);
    return device->load({text.data(), text.size()});
  }
  template <class... A>
  void launch(KernelId kernel, Dim3 grid, Dim3 block, StreamId stream, A... arguments) {
    const KernelInfo info = device->info(kernel);
    std::vector<char> parameters(
        info.parameters.empty() ? 0 : info.parameters.back().offset + info.parameters.back().size);
    std::size_t k = 0;
    ((std::memcpy(parameters.data() + info.parameters.at(k).offset, &arguments, info.parameters.at(k).size),
      ++k),
     ...);
    device->launch({kernel, grid, block, 0, stream, false, {}}, {parameters.data(), parameters.size()});
  }
  Status status_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const DeviceError& error) {
      return error.status();
    }
    return Status::success;
  }
  std::string printed;
  std::unique_ptr<Device> device;

private:
  std::mutex mutex_;
};

TEST_F(Host, TheFirstPage) {
  device->map(kArena, 2 * kMiB);
  const KernelId step = device->kernel(load("many.ptx"), "_Z4stepPfi");
  const KernelInfo info = device->info(step);
  ASSERT_EQ(info.parameters.size(), 2u);
  EXPECT_EQ(info.parameters[1].offset, 8u);
  EXPECT_EQ(info.parameters[1].size, 4u);
  const int n = 1 << 16;
  for (int t = 0; t < 20; ++t)
    launch(step, {static_cast<unsigned>(n) / 256}, {256}, kLegacyStream, kArena, n);
  float first = 0, expected = 0;
  for (int t = 0; t < 20; ++t) expected = 0.5f * expected + 1.0f;
  device->copy_out(&first, kArena + 4 * (n - 1), 4, kLegacyStream);
  device->synchronize(kLegacyStream);
  EXPECT_EQ(first, expected);
}

TEST_F(Host, MemoryComesAsZerosAndIsCounted) {
  EXPECT_EQ(device->free_memory(), 64 * kMiB);
  device->map(kArena + 4 * kMiB, 4 * kMiB);
  EXPECT_EQ(device->free_memory(), 60 * kMiB);
  device->fill(kArena + 4 * kMiB, 0x01020304, 4, 1000, 1, 0, kLegacyStream);
  device->unmap(kArena + 4 * kMiB, 4 * kMiB);
  device->map(kArena + 4 * kMiB, 2 * kMiB);
  std::uint32_t word = 1;
  device->copy_out(&word, kArena + 4 * kMiB, 4, kLegacyStream);
  device->synchronize();
  EXPECT_EQ(word, 0u);
  EXPECT_EQ(status_of([&] { device->map(kArena + 8 * kMiB, 64 * kMiB); }), Status::memory_allocation);
  EXPECT_EQ(device->free_memory(), 62 * kMiB);
  device->map(kArena + 8 * kMiB, 62 * kMiB); // to the last MiB
  EXPECT_EQ(status_of([&] { device->map(kArena + 4 * kMiB, 2 * kMiB); }), Status::invalid_value);
  EXPECT_EQ(status_of([&] { device->copy_out(&word, kArena, 4, kLegacyStream); }), Status::invalid_value);
  EXPECT_EQ(status_of([&] { device->copy_out(&word, kArena + 1024 * kMiB - 2, 4, kLegacyStream); }),
            Status::invalid_value);
}

// Both devices are of this process, so the other's arena is adjoined elsewhere than where it lies.
TEST_F(Host, ReachesTheMemoryOfAnother) {
  constexpr Address arena = kArena + (4ull << 30), there = arena + (4ull << 30);
  const auto other = open_host({});
  other->reserve(arena, 256 * kMiB);
  other->map(arena + 2 * kMiB, 4 * kMiB);
  other->map(arena + 6 * kMiB, 2 * kMiB);
  other->fill(arena + 2 * kMiB, 0x40800000, 4, 3 << 19, 1, 0, kLegacyStream); // 4.0f
  other->synchronize();
  EXPECT_EQ(status_of([&] { device->adjoin(there, 256 * kMiB, "another kind", ""); }), Status::not_supported);
  EXPECT_EQ(status_of([&] { device->adjoin(arena, 256 * kMiB, device->properties().name, ""); }),
            Status::memory_allocation);
  device->adjoin(there, 256 * kMiB, device->properties().name, "");
  EXPECT_EQ(status_of([&] { other->export_memory(arena, 2 * kMiB); }), Status::invalid_value);
  const int file = other->export_memory(arena + 2 * kMiB, 4 * kMiB);
  const auto refused = [&](Address at, std::uint64_t bytes, int of) {
    return status_of([&] { device->import_memory(at, bytes, of); }) == Status::invalid_value;
  };
  EXPECT_TRUE(refused(arena + 2 * kMiB, 4 * kMiB, file)) << "not where it was adjoined";
  EXPECT_TRUE(refused(there + 254 * kMiB, 4 * kMiB, file)) << "beyond the arena's end";
  EXPECT_TRUE(refused(there + 1, 4 * kMiB, file));
  const int open = memfd_create("open", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(open, 256 * kMiB), 0);
  EXPECT_TRUE(refused(there, 2 * kMiB, open)) << "it may shrink beneath a copy";
  close(open);
  device->import_memory(there + 2 * kMiB, 4 * kMiB, file);
  EXPECT_TRUE(refused(there + 4 * kMiB, 2 * kMiB, file)) << "it is there already";
  EXPECT_TRUE(refused(there, 4 * kMiB, file));
  device->import_memory(there + 6 * kMiB, 2 * kMiB, file);
  close(file);
  // A kernel of this device goes there, over both ranges, and a copy.
  const KernelId step = device->kernel(load("many.ptx"), "_Z4stepPfi");
  launch(step, {3 << 11, 1, 1}, {256, 1, 1}, kLegacyStream, there + 2 * kMiB, 3 << 19);
  device->map(kArena, 2 * kMiB);
  device->copy(kArena, there + 7 * kMiB, 2 * kMiB / 2, kLegacyStream);
  device->synchronize();
  float first = 0, last = 0, copied = 0;
  other->copy_out(&first, arena + 2 * kMiB, 4, kLegacyStream);
  other->copy_out(&last, arena + 8 * kMiB - 4, 4, kLegacyStream);
  other->synchronize();
  device->copy_out(&copied, kArena + kMiB - 4, 4, kLegacyStream);
  device->synchronize();
  EXPECT_EQ(first, 3.0f); // 0.5 * 4 + 1
  EXPECT_EQ(last, 3.0f);
  EXPECT_EQ(copied, 3.0f);
  EXPECT_EQ(status_of([&] { device->copy_out(&last, there + 8 * kMiB - 2, 4, kLegacyStream); }),
            Status::invalid_value);
  EXPECT_EQ(status_of([&] { device->copy_out(&last, there, 4, kLegacyStream); }), Status::invalid_value);
  EXPECT_EQ(status_of([&] { device->forget_memory(there + 2 * kMiB, 2 * kMiB); }), Status::invalid_value);
  device->forget_memory(there + 2 * kMiB, 4 * kMiB);
  EXPECT_EQ(status_of([&] { device->copy_out(&last, there + 4 * kMiB, 4, kLegacyStream); }),
            Status::invalid_value);
  launch(step, {1, 1, 1}, {32, 1, 1}, kLegacyStream, there + 2 * kMiB, 32);
  EXPECT_EQ(status_of([&] { device->synchronize(); }), Status::illegal_address);
}

TEST_F(Host, FillsAndRows) {
  device->map(kArena, 2 * kMiB);
  device->fill(kArena, 7, 1, 10, 3, 16, kLegacyStream); // 3 rows of 10 bytes
  device->fill(kArena + 64, 0x1234, 2, 4, 1, 0, kLegacyStream);
  unsigned char rows[3][10] = {};
  device->copy_2d({reinterpret_cast<std::uint64_t>(rows), 10, kArena, 16, 10, 3}, kLegacyStream);
  std::uint16_t halves[4];
  device->copy_out(halves, kArena + 64, 8, kLegacyStream);
  unsigned char between = 1;
  device->copy_out(&between, kArena + 12, 1, kLegacyStream);
  const std::uint64_t before = device->digest(kArena, 64, kLegacyStream);
  EXPECT_EQ(rows[2][9], 7);
  EXPECT_EQ(between, 0);
  EXPECT_EQ(halves[3], 0x1234);
  device->copy(kArena + 1024, kArena, 64, kLegacyStream);
  EXPECT_EQ(device->digest(kArena + 1024, 64, kLegacyStream), before);
  device->fill(kArena + 1024, 8, 1, 1, 1, 0, kLegacyStream);
  EXPECT_NE(device->digest(kArena + 1024, 64, kLegacyStream), before);
}

// Calls it in the stream's order; the stream goes on when it returns.
void function(Device& device, StreamId stream, const std::function<void()>& call) {
  device.stop(stream, {[call](const std::function<void()>& go_on) {
                         call();
                         go_on();
                       },
                       {}});
}

TEST_F(Host, StreamsWaitForEventsAndForTheDefaultStream) {
  device->map(kArena, 2 * kMiB);
  const StreamId a = device->create_stream(0, 0), b = device->create_stream(1, 0);
  const EventId event = device->create_event(0);
  std::atomic<bool> go{false};
  std::string order;
  function(*device, a, [&] {
    while (!go) std::this_thread::yield();
    order += "a";
  });
  device->record(event, a);
  device->wait(b, event);
  function(*device, b, [&] { order += "b"; });
  function(*device, kLegacyStream, [&] {
    while (order.find('b') == std::string::npos) std::this_thread::yield();
    order += "0";
  });
  function(*device, a, [&] { order += "A"; }); // after the default stream
  EXPECT_FALSE(device->done(b));
  EXPECT_FALSE(device->event_done(event));
  EXPECT_FALSE(device->done(kLegacyStream));
  EXPECT_EQ(status_of([&] { device->elapsed(event, event); }), Status::not_ready);
  go = true;
  device->synchronize();
  EXPECT_EQ(order, "ab0A");
  EXPECT_TRUE(device->event_done(event));
  const EventId later = device->create_event(0);
  device->record(later, a);
  device->synchronize_event(later);
  EXPECT_GE(device->elapsed(event, later), 0);
  device->destroy_stream(a);
  device->destroy_event(event);
  EXPECT_EQ(status_of([&] { device->synchronize(a); }), Status::invalid_resource_handle);
  EXPECT_EQ(status_of([&] { device->record(event, b); }), Status::invalid_resource_handle);
}

TEST_F(Host, GraphsAreDoneAsTheyWereCaptured) {
  device->map(kArena, 4 * kMiB);
  const StreamId a = device->create_stream(1, 0), b = device->create_stream(1, 0);
  const EventId forked = device->create_event(2), joined = device->create_event(2);
  std::string order;
  const auto says = [&](StreamId stream, char letter) {
    function(*device, stream, [&order, letter] { order += letter; });
  };
  device->begin_capture(a);
  says(a, 'a');
  device->record(forked, a);
  device->wait(b, forked);
  EXPECT_TRUE(device->captured(b));
  says(b, 'b');
  device->fill(kArena + 2 * kMiB, 1, 1, 64, 1, 0, b);
  device->record(joined, b);
  EXPECT_EQ(status_of([&] { device->event_done(joined); }), Status::captured_event);
  device->wait(a, joined);
  says(a, 'c');
  std::uint64_t nodes = 0;
  const GraphId graph = device->end_capture(a, nodes);
  EXPECT_EQ(nodes, 4u);
  EXPECT_FALSE(device->captured(b));
  device->synchronize();
  EXPECT_EQ(order, "");
  const ExecutableId ready = device->instantiate(graph, 0);
  device->destroy_graph(graph);
  device->launch_graph(ready, b);
  device->launch_graph(ready, b);
  device->synchronize(b);
  EXPECT_EQ(order, "abcabc");
  EXPECT_EQ(status_of([&] { device->instantiate(graph, 0); }), Status::invalid_resource_handle);
  // A default stream that waits for all would wait for a blocking stream that is captured.
  const StreamId blocking = device->create_stream(0, 0);
  device->begin_capture(blocking);
  EXPECT_EQ(status_of([&] { says(kLegacyStream, 'x'); }), Status::capture_implicit);
  EXPECT_EQ(status_of([&] { device->end_capture(blocking, nodes); }), Status::capture_invalidated);
  // Memory that a graph copies is freed: its launch is a fault.
  device->unmap(kArena, 4 * kMiB);
  device->launch_graph(ready, a);
  EXPECT_EQ(status_of([&] { device->synchronize(a); }), Status::illegal_address);
  EXPECT_EQ(order, "abcabcab");
}

TEST_F(Host, AFaultSticks) {
  const KernelId wild = device->kernel(load("threads.ptx"), "_Z4wildPi");
  launch(wild, {1}, {32}, kLegacyStream, Address(64));
  EXPECT_EQ(status_of([&] { device->synchronize(); }), Status::illegal_address);
  EXPECT_EQ(status_of([&] { device->copy_out(nullptr, kArena, 0, kLegacyStream); }), Status::illegal_address);
  EXPECT_EQ(device->fault(), Status::illegal_address);
  EXPECT_TRUE(sticky(device->fault()));
}

TEST_F(Host, WrongLaunchesAreSaidAtOnce) {
  const LibraryId library = load("threads.ptx");
  const KernelId kernel = device->kernel(library, "_Z4wildPi");
  EXPECT_EQ(status_of([&] { launch(kernel, {1}, {2048}, kLegacyStream, kArena); }), Status::invalid_value);
  EXPECT_EQ(status_of([&] { launch(kernel, {0}, {32}, kLegacyStream, kArena); }), Status::invalid_value);
  EXPECT_EQ(status_of([&] {
              device->launch({kernel, {1}, {32}, 50000, kLegacyStream, false, {}}, {&kArena, 8});
            }),
            Status::invalid_value);
  EXPECT_EQ(status_of([&] {
              device->launch({kernel, {1}, {32}, 0, 99, false, {}}, {&kArena, 8});
            }),
            Status::invalid_resource_handle);
  EXPECT_EQ(status_of([&] { device->kernel(library, "none"); }), Status::invalid_device_function);
  EXPECT_EQ(status_of([&] { device->variable(library, "none"); }), Status::invalid_symbol);
  EXPECT_EQ(device->variable(library, "weights").bytes, 16u);
  EXPECT_EQ(device->occupancy(kernel, 256, 0), 8);
  EXPECT_EQ(device->occupancy(kernel, 256, 100000), 2);
  EXPECT_EQ(device->fault(), Status::success); // none of these sticks
}

TEST_F(Host, PrintfAndRegisteredMemory) {
  const LibraryId library = load("threads.ptx");
  launch(device->kernel(library, "_Z4saysi"), {1}, {32}, kLegacyStream, 1);
  alignas(64) static int own[32];
  device->register_host(own, sizeof own);
  launch(device->kernel(library, "_Z4wildPi"), {1}, {32}, kLegacyStream, own);
  device->synchronize();
  EXPECT_EQ(printed, "thread 0 of says: 0.000 1099511627776\n");
  EXPECT_EQ(own[31], 1);
  device->unregister_host(own);
  launch(device->kernel(library, "_Z4wildPi"), {1}, {32}, kLegacyStream, own);
  EXPECT_EQ(status_of([&] { device->synchronize(); }), Status::illegal_address);
}

TEST_F(Host, WhatCannotBeRunIsNamed) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<2>;\n"
      "tensormap.replace.tile [%rd1], 5;\nret;\n}\n";
  try {
    device->load({text.data(), text.size()});
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.status(), Status::unsupported_ptx);
    EXPECT_STREQ(error.what(),
                 "kernel k: tensormap.replace.tile (line 7 of its PTX) is not interpreted; run it on a "
                 "server with a GPU");
  }
  EXPECT_EQ(status_of([&] {
              device->load(
                  {"\x7f"
                   "ELF",
                   4});
            }),
            Status::no_kernel_image);
}

} // namespace
} // namespace tasuki::remote

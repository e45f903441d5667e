// Memory that one worker exports and another imports, as a client passes it on; and what is refused.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <remote/client/connection.hpp>
#include <remote/device/host.hpp>
#include <remote/link/shared_memory.hpp>
#include <remote/server/worker.hpp>

#include <thread>

#include "../free_range.hpp"
#include "../memory_device.hpp"
#include "served.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 mib = 1u << 20, arena = 64 * mib;
// Both workers are of this process, so the first's arena is adjoined elsewhere than where it lies.
constexpr u64 first_base = free_range, second_base = free_range + (1ull << 30),
              there = free_range + (2ull << 30);

struct Worker {
  explicit Worker(u64 base) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    thread = std::thread([this, socket = pair[1]] {
      const auto link = share_as_worker(Descriptor(socket), "client");
      serve_worker(*link, *device, grant);
    });
    calls = std::make_unique<Connection>(share_as_client(Descriptor(pair[0]), "worker"), told.handlers());
    ask(call::Reserve{base, arena});
    ask(call::Map{base, 4 * mib});
  }
  ~Worker() {
    calls.reset();
    thread.join();
  }
  template <class Message>
  Status ask(const Message& message) {
    try {
      calls->ask<answer::Done>(message);
      return Status::success;
    } catch (const Failure& failure) {
      return failure.status();
    }
  }
  std::unique_ptr<Device> device = open_host({arena, 1, false, {}});
  Grant grant;
  std::thread thread;
  Told told;
  std::unique_ptr<Connection> calls;
};

} // namespace

TEST(Neighbours, OneWorkerCopiesFromAndToAnothersMemory) {
  Worker first(first_base), second(second_base);
  const std::string name = second.device->properties().name;
  ASSERT_EQ(first.ask(call::Fill{first_base, 4 * mib, 7, 0}), Status::success);
  ASSERT_EQ(first.ask(call::WaitDevice{}), Status::success); // else the other may be ahead of it
  EXPECT_EQ(second.ask(call::Adjoin{there, arena, "a GPU", ""}), Status::not_supported);
  ASSERT_EQ(second.ask(call::Adjoin{there, arena, name, ""}), Status::success);
  const int file = first.calls->ask_for_file(call::Export{first_base, 4 * mib});
  const auto import = [&](u64 address, u64 bytes) {
    try {
      second.calls->ask_with_file(call::Import{address, bytes}, file);
      return Status::success;
    } catch (const Failure& failure) {
      return failure.status();
    }
  };
  EXPECT_EQ(import(second_base + 8 * mib, 4 * mib), Status::invalid_value) << "its own arena";
  EXPECT_EQ(import(there + 62 * mib, 4 * mib), Status::invalid_value);
  EXPECT_EQ(import(there, 0), Status::invalid_value);
  ASSERT_EQ(import(there, 4 * mib), Status::success) << "each refusal has taken its file";
  close(file);
  EXPECT_EQ(second.ask(call::Copy{second_base, there + mib, mib, 0}), Status::success);
  EXPECT_EQ(second.ask(call::Fill{there, mib, 9, 0}), Status::success);
  second.ask(call::WaitDevice{});
  EXPECT_EQ(second.told.error, 0);
  std::vector<unsigned char> got;
  second.calls->ask<answer::Bytes>(call::CopyOut{second_base + mib - 8, 8, 0}, {}, &got);
  EXPECT_EQ(got, std::vector<unsigned char>(8, 7));
  first.calls->ask<answer::Bytes>(call::CopyOut{first_base + mib - 8, 16, 0}, {}, &got);
  EXPECT_EQ(got[7], 9);
  EXPECT_EQ(got[8], 7);
  const auto reads = [&](u64 from) { return second.ask(call::CopyOut{from, 8, 0}); };
  EXPECT_EQ(reads(there + 4 * mib - 4), Status::invalid_value);
  EXPECT_EQ(second.ask(call::Forget{there, 2 * mib}), Status::invalid_value);
  EXPECT_EQ(second.ask(call::Forget{there, 4 * mib}), Status::success);
  EXPECT_EQ(reads(there), Status::invalid_value);
}

TEST(Neighbours, AreNotOverALinkThatPassesNoFiles) {
  ServedBy<MemoryDevice> served;
  Told told;
  Connection calls(std::move(served.client), told.handlers());
  const auto status_of = [&](const auto& message) {
    try {
      calls.ask<answer::Done>(message);
      return Status::success;
    } catch (const Failure& failure) {
      return failure.status();
    }
  };
  EXPECT_EQ(status_of(call::Adjoin{there, arena, "memory", ""}), Status::not_supported);
  EXPECT_EQ(status_of(call::Export{first_base, mib}), Status::not_supported);
  EXPECT_EQ(status_of(call::Import{there, mib}), Status::not_supported);
}

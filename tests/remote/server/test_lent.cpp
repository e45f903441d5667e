// Memory that a client lends its worker over a link of one host: copies there and back, and what is refused.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <remote/client/lending.hpp>
#include <remote/link/shared_memory.hpp>
#include <remote/server/worker.hpp>

#include <cstring>
#include <thread>

#include "../free_range.hpp"
#include "../memory_device.hpp"
#include "served.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 base = free_range, arena = 64u << 20, bytes = 256u << 10;

struct Lends : ::testing::Test {
  Lends() {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    worker = std::thread([this, socket = pair[1]] {
      const auto link = share_as_worker(Descriptor(socket), "client");
      Grant grant;
      grant.tally = &tally;
      serve_worker(*link, device, grant);
    });
    calls = std::make_unique<Connection>(share_as_client(Descriptor(pair[0]), "worker"), told.handlers());
    calls->ask<answer::Done>(call::Reserve{base, arena});
    calls->ask<answer::Done>(call::Map{base, arena});
    here = static_cast<unsigned char*>(share_pages(bytes));
  }
  ~Lends() override {
    calls.reset();
    worker.join();
    unshare_pages(here);
  }
  int error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Failure& failure) {
      return static_cast<int>(failure.status());
    }
    return 0;
  }
  MemoryDevice device{arena};
  Tally tally;
  std::thread worker;
  Told told;
  std::unique_ptr<Connection> calls;
  unsigned char* here = nullptr;
};

} // namespace

TEST_F(Lends, CopiesGoThereAndBackBesideTheLink) {
  Lending lending(*calls);
  ASSERT_NE(here, nullptr);
  const auto place = shared_pages(here, bytes), behind = shared_pages(here + bytes / 2, bytes / 2);
  EXPECT_FALSE(lending.lends(*place, false)) << "nothing was lent yet";
  ASSERT_TRUE(lending.lends(*place, true));
  for (u64 i = 0; i < bytes; ++i) here[i] = static_cast<unsigned char>(i * 7 >> 3);
  std::vector<unsigned char> right(here, here + bytes / 2);
  lending.copy_in_now(base + 100, *place, bytes / 2, 0);
  EXPECT_EQ(tally.bytes_in.load(), bytes / 2);
  std::memset(here, 0, bytes);
  std::atomic<bool> done{false};
  lending.copy_out(*behind, base + 100, bytes / 2, 0, [&] { done = true; });
  calls->ask<answer::Done>(call::WaitStream{0});
  EXPECT_EQ(std::memcmp(here + bytes / 2, right.data(), bytes / 2), 0);
  lending.copy_out_now(*place, base + 100, 8, 0); // its answer comes behind that of the one before
  EXPECT_TRUE(done);
  lending.gone(place->segment);
  const call::CopyOutLent again{base, place->segment, 0, 8, 0};
  EXPECT_EQ(error_of([&] { calls->ask<answer::Done>(again); }), static_cast<int>(Status::invalid_value));
}

TEST_F(Lends, WhatIsOutsideIsRefused) {
  Lending lending(*calls);
  const auto place = shared_pages(here, bytes);
  EXPECT_FALSE(shared_pages(here + 1, bytes));
  ASSERT_TRUE(lending.lends(*place, true));
  const auto refused = [&](u64 to, u64 segment, u64 offset, u64 size) {
    const int in = error_of([&] {
      calls->ask<answer::Done>(call::CopyInLent{to, segment, offset, size, 0});
    });
    const int out = error_of([&] {
      calls->ask<answer::Done>(call::CopyOutLent{to, segment, offset, size, 0});
    });
    return in == static_cast<int>(Status::invalid_value) && out == in;
  };
  EXPECT_TRUE(refused(base, place->segment, 1, bytes));
  EXPECT_TRUE(refused(base, place->segment, ~u64{0}, 8));
  EXPECT_TRUE(refused(base, place->segment, 8, ~u64{0}));
  EXPECT_TRUE(refused(base, place->segment + 1000, 0, 8));
  EXPECT_TRUE(refused(base + arena - 4, place->segment, 0, 8));
  EXPECT_FALSE(refused(base, place->segment, 0, 8));
}

TEST_F(Lends, MemoryThatMayShrinkIsRefused) {
  const int open = memfd_create("open", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(open, 1 << 20), 0);
  const auto lend = [&](u64 segment, u64 size, int file) {
    return error_of([&] { calls->ask_with_file(call::Lend{segment, size}, file); });
  };
  EXPECT_EQ(lend(1001, 1 << 20, open), static_cast<int>(Status::invalid_value));
  close(open);
  const SharedPlace place = *shared_pages(here, bytes);
  EXPECT_EQ(lend(1002, 2 * bytes, place.file), static_cast<int>(Status::invalid_value));
  EXPECT_EQ(lend(1003, bytes, place.file), 0);
  EXPECT_EQ(lend(1003, bytes, place.file), static_cast<int>(Status::invalid_value)) << "a number twice";
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(lend(1004, 16, pipes[0]), static_cast<int>(Status::invalid_value));
  close(pipes[0]);
  close(pipes[1]);
}

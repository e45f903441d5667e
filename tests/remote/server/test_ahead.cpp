// Copies that are sent before they are asked for: the same bytes as without, used where nothing was called in between, and
// nowhere else.
#include <gtest/gtest.h>

#include <remote/client/ahead.hpp>

#include <iostream>
#include <random>

#include "../free_range.hpp"
#include "../memory_device.hpp"
#include "served.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 base = free_range, mib = 1u << 20;

// A client whose copies may be ahead.
struct Client {
  explicit Client(bool may_be_ahead = true, bool compared = false) {
    Connection::Handlers handlers = told.handlers();
    handlers.made = [this](Call call, bool beside) {
      if (ahead) ahead->made(call, beside);
    };
    handlers.heard = [this] {
      if (Ahead* here = hears) here->heard();
    };
    calls = std::make_unique<Connection>(std::move(served.client), std::move(handlers));
    calls->ask<answer::Done>(call::Reserve{base, 1ull << 32});
    calls->ask<answer::Done>(call::Map{base, 8 * mib});
    calls->ask<answer::Done>(call::Fill{base, 8 * mib, 0, 0});
    if (!may_be_ahead) return;
    ahead = std::make_unique<Ahead>(*calls, compared);
    hears = ahead.get();
  }
  ~Client() { calls.reset(); }

  std::vector<unsigned char> out(u64 from, u64 bytes, u64 stream = 0) {
    std::vector<unsigned char> to(bytes);
    if (ahead && ahead->take(to.data(), from, bytes, stream)) return to;
    Waiting waiting;
    waiting.into = to.data();
    waiting.room = bytes;
    calls->begin(waiting, call::CopyOut{from, bytes, stream});
    if (ahead) ahead->asked(from, bytes, stream);
    calls->finish(waiting);
    return to;
  }
  void fill(u64 to, u64 bytes, u32 value, u64 stream = 0) {
    calls->post(call::Fill{to, bytes, value, stream});
  }
  // Three rounds and the beginning of the next.
  void go_round(u64 stream = 0) {
    for (u32 n = 1; n < 5; ++n) {
      fill(base, 64, n, stream);
      if (n < 4) {
        EXPECT_EQ(out(base, 64, stream)[63], n);
      }
    }
  }
  u64 used() const { return ahead->used(); }

  ServedBy<MemoryDevice> served;
  Told told;
  std::unique_ptr<Ahead> ahead;
  std::atomic<Ahead*> hears{nullptr};
  std::unique_ptr<Connection> calls;
};

TEST(Ahead, ACopyThatComesEveryRoundIsThereBeforeItIsAskedFor) {
  Client client;
  client.go_round();
  EXPECT_EQ(client.ahead->sent(), 1u);
  const u64 calls = client.calls->calls();
  EXPECT_EQ(client.out(base, 64)[0], 4);
  EXPECT_EQ(client.used(), 1u);
  EXPECT_EQ(client.calls->calls(), calls); // none was made for it
  for (u32 n = 5; n < 10; ++n) {
    client.fill(base, 64, n);
    EXPECT_EQ(client.out(base, 64)[17], n);
  }
  EXPECT_EQ(client.used(), 6u);
}

TEST(Ahead, ACallInBetweenMakesItUnused) {
  Client client;
  client.go_round();
  ASSERT_EQ(client.ahead->sent(), 1u);
  client.fill(base + 32, 8, 77);
  const auto bytes = client.out(base, 64);
  EXPECT_EQ(bytes[31], 4);
  EXPECT_EQ(bytes[32], 77);
  EXPECT_EQ(client.used(), 0u);
  for (u32 n = 10; n < 14; ++n) { // and it is found again
    client.fill(base, 64, n);
    EXPECT_EQ(client.out(base, 64)[0], n);
  }
  EXPECT_GT(client.used(), 0u);
}

TEST(Ahead, OtherBytesAreAskedFor) {
  Client client;
  client.go_round();
  EXPECT_EQ(client.out(base, 63).size(), 63u);
  EXPECT_EQ(client.out(base + 1, 64)[0], 4);
  EXPECT_EQ(client.used(), 0u);
}

TEST(Ahead, SeveralCopiesOfARoundAreAllAhead) {
  Client client;
  for (u32 n = 1; n < 12; ++n) {
    client.fill(base, 64, n);
    client.fill(base + 64, 64, n + 100);
    EXPECT_EQ(client.out(base, 64)[5], n);
    EXPECT_EQ(client.out(base + 64, 64)[5], n + 100);
  }
  EXPECT_EQ(client.used(), 16u); // all but those of three rounds
  client.fill(base, 64, 1);
  EXPECT_EQ(client.ahead->sent(), 16u);
  client.fill(base + 64, 64, 2);
  EXPECT_EQ(client.ahead->sent(), 18u); // both, before the first is asked for
}

TEST(Ahead, ACopyThatFollowsItselfIsNeverAhead) {
  Client client;
  for (int n = 0; n < 8; ++n) client.out(base, 64);
  EXPECT_EQ(client.ahead->sent(), 0u);
}

// By its answers a program may learn that work on another stream is over, which the copy was not ordered behind.
TEST(Ahead, BesideOtherStreamsItIsUsedOnlyWhileTheWorkerSaysNothing) {
  for (const bool speaks : {false, true}) {
    Client client;
    client.calls->post(call::CreateStream{1, 1, 0});
    client.go_round(1);
    ASSERT_EQ(client.ahead->sent(), 1u);
    if (speaks) client.ahead->heard();
    EXPECT_EQ(client.out(base, 64, 1)[0], 4);
    EXPECT_EQ(client.used(), speaks ? 0u : 1u);
  }
}

TEST(Ahead, WhatIsHeardIsEachAnswerButThoseOfCopiesAhead) {
  Client client;
  std::atomic<int> heard{0};
  Connection::Handlers handlers = client.told.handlers();
  ServedBy<MemoryDevice> other;
  handlers.heard = [&] { ++heard; };
  Connection calls(std::move(other.client), std::move(handlers));
  calls.ask<answer::Memory>(call::MemoryInfo{});
  EXPECT_EQ(heard, 1);
  EXPECT_THROW(calls.ask<answer::Done>(call::QueryStream{77}), Failure);
  EXPECT_EQ(heard, 2);
  Waiting waiting;
  waiting.ahead = true;
  calls.begin(waiting, call::CopyOut{base, 64, 0}); // nothing is there
  EXPECT_THROW(calls.finish(waiting), Failure);
  EXPECT_EQ(heard, 2);
}

TEST(Ahead, OnTheDefaultStreamAloneItIsOrderedBehindAll) {
  Client client;
  client.go_round();
  client.ahead->heard();
  client.out(base, 64);
  EXPECT_EQ(client.used(), 1u);
}

TEST(Ahead, OfReplicasOnlyWhatIsOrderedBehindAllIsRead) {
  Client client(true, true);
  client.go_round();
  EXPECT_EQ(client.ahead->sent(), 1u);
  EXPECT_EQ(client.out(base, 64)[0], 4);
  client.calls->post(call::CreateStream{1, 1, 0}); // it runs beside the default one
  for (const u64 stream : {u64{1}, u64{0}}) {
    const u64 before = client.ahead->sent();
    client.go_round(stream);
    EXPECT_EQ(client.ahead->sent(), before) << "stream " << stream;
  }
}

TEST(Ahead, ACopyOfOneStreamSaysNothingForReadsOfAnother) {
  Client client;
  client.calls->post(call::CreateStream{1, 1, 0});
  for (u32 n = 1; n < 6; ++n) {
    client.fill(base, 128, n, 1);
    EXPECT_EQ(client.out(base, 64, 1)[5], n);
    EXPECT_EQ(client.out(base + 64, 64, 0)[5], n); // it may rely on the copy before it
  }
  EXPECT_EQ(client.used(), 2u); // those of stream 1
}

TEST(Ahead, MemoryThatWasFreedIsReadNoMore) {
  Client client;
  client.go_round();
  client.out(base, 64);
  client.ahead->forget(base, 4096);
  client.fill(base, 64, 9);
  EXPECT_EQ(client.ahead->sent(), 1u);
}

TEST(Ahead, NothingIsReadWhileAStreamIsCaptured) {
  Client client;
  client.go_round();
  client.out(base, 64);
  client.calls->post(call::BeginCapture{0}); // which this device refuses; Ahead counts the call
  client.out(base, 64);
  for (u32 n = 0; n < 6; ++n) {
    client.fill(base, 64, n);
    EXPECT_EQ(client.out(base, 64)[0], n);
  }
  EXPECT_EQ(client.ahead->sent(), 1u);
}

TEST(Ahead, ThreadsWithStreamsOfTheirOwnGetTheirOwnBytes) {
  Client client;
  for (const u64 stream : {1, 2, 3}) client.calls->post(call::CreateStream{stream, 1, 0});
  std::vector<std::thread> threads;
  for (const u64 stream : {0, 1, 2, 3})
    threads.emplace_back([&client, stream] {
      for (u32 n = 1; n < 200; ++n) {
        client.fill(base + 4096 * stream, 64, n, stream);
        EXPECT_EQ(client.out(base + 4096 * stream, 64, stream)[63], n);
        if (n % 50 == 0) client.ahead->forget(base + 4096 * stream, 4096);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::cout << client.used() << " of " << client.ahead->sent() << " reads ahead were used\n";
  EXPECT_LE(client.used(), client.ahead->sent());
}

unsigned seed_of_test() {
  const char* given = std::getenv("TASUKI_TEST_SEED");
  const unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  std::cout << "seed " << seed << '\n';
  return seed;
}

// Loops of random calls, some of whose rounds have a call more: each copy brings what a memory of this test's holds.
TEST(Ahead, RandomLoopsReadWhatTheyReadWithout) {
  constexpr u64 room = 4096;
  const unsigned seed = seed_of_test();
  u64 used = 0;
  for (const bool may_be_ahead : {true, false}) {
    std::mt19937 dice(seed);
    const auto below = [&](u64 n) { return dice() % n; };
    Client client(may_be_ahead);
    client.calls->post(call::CreateStream{1, 1, 0});
    std::vector<unsigned char> memory(room, 0);
    struct Step {
      int kind;
      u64 at, bytes, stream;
    };
    const auto any = [&](bool out) {
      Step s{static_cast<int>(out ? 3 : below(3)), below(room / 2), 1 + below(256), below(4) ? 0 : 1ull};
      return s;
    };
    const auto make = [&](const Step& s) {
      const u64 to = s.at, from = room / 2 + below(room / 2 - 256);
      if (s.kind == 0) {
        const u32 value = static_cast<u32>(below(256));
        client.fill(base + to, s.bytes, value, s.stream);
        std::fill_n(memory.begin() + static_cast<long>(to), s.bytes, static_cast<unsigned char>(value));
      } else if (s.kind == 1) {
        std::vector<unsigned char> bytes(s.bytes);
        for (auto& b : bytes) b = static_cast<unsigned char>(dice());
        client.calls->post(call::CopyIn{base + to, s.stream}, {bytes.data(), bytes.size()});
        std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<long>(to));
      } else if (s.kind == 2) {
        client.calls->post(call::Copy{base + to, base + from, s.bytes, s.stream});
        std::memmove(memory.data() + to, memory.data() + from, s.bytes);
      } else {
        const auto got = client.out(base + s.at, s.bytes, s.stream);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), memory.begin() + static_cast<long>(s.at)));
      }
    };
    for (int loop = 0; loop < 60; ++loop) {
      std::vector<Step> body;
      for (u64 n = 1 + below(4); n-- > 0;) body.push_back(any(false));
      for (u64 n = 1 + below(3); n-- > 0;) body.insert(body.begin() + below(body.size() + 1), any(true));
      for (u64 round = 4 + below(8); round-- > 0;) {
        const u64 more = below(4) ? body.size() : below(body.size());
        for (u64 n = 0; n < body.size(); ++n) {
          if (n == more) make(any(below(2) == 0));
          make(body[n]);
        }
      }
    }
    if (may_be_ahead) used = client.used();
    EXPECT_EQ(client.told.error, 0);
  }
  std::cout << used << " reads ahead were used\n";
  EXPECT_GT(used, 0u);
}

} // namespace

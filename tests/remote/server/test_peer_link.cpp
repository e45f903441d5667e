// Two devices whose workers have a link: copies of boxes each way, at random and both ways at once, against the same by memcpy; what
// one tells the other; and what becomes of it where an end is gone, or a range is none of the other's.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <remote/link/socket.hpp>
#include <remote/server/peer_link.hpp>
#include <remote/wire/reserve.hpp>

#include <chrono>
#include <cstring>
#include <future>
#include <random>

#include "../dice.hpp"
#include "../free_range.hpp"
#include "late_device.hpp"

using namespace tasuki::remote;

namespace {

constexpr u64 mib = 1u << 20, arena = 64 * mib, memory = 16 * mib;
constexpr u64 bases[2] = {free_range, free_range + (1ull << 30)};

struct Outcome {
  Status status = Status::unknown;
  std::string what;
};

// A device, and the twin of its memory by plain code.
struct End {
  End(int n, unsigned seed) : device(0, seed), base(bases[n]), twin(memory) {
    device.reserve(base, arena);
    device.map(base, memory);
  }
  void fill(std::mt19937& dice) {
    for (std::size_t i = 0; i < twin.size(); i += 4) {
      const unsigned word = dice();
      std::memcpy(&twin[i], &word, 4);
    }
    device.copy_in(base, twin.data(), memory, kLegacyStream);
    device.synchronize(kLegacyStream);
  }
  bool is_as_twin() {
    std::vector<unsigned char> got(memory);
    device.copy_out(got.data(), base, memory, kLegacyStream);
    device.synchronize(kLegacyStream);
    return got == twin;
  }
  std::future<Outcome> copy(const PeerCopy& copy) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    link->copy(copy, [promise](Status status, const std::string& what) {
      promise->set_value({status, what});
    });
    return promise->get_future();
  }
  std::future<Outcome> await(u64 token) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    link->await(token, [promise](Status status, const std::string& what) {
      promise->set_value({status, what});
    });
    return promise->get_future();
  }
  LateDevice device;
  const u64 base;
  std::vector<unsigned char> twin;
  std::unique_ptr<PeerLink> link;
};

class Pair {
public:
  explicit Pair(unsigned seed) : ends{{0, seed}, {1, seed + 1}} {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    for (int n = 0; n < 2; ++n)
      ends[n].link = std::make_unique<PeerLink>(
          ends[n].device, PeerLink::Range{ends[n].base, arena},
          [socket = pair[n]] { return std::make_unique<SocketLink>(Descriptor(socket), "other"); },
          [](Status status, const std::string& what) { EXPECT_EQ(status, Status::success) << what; });
  }
  End ends[2];
};

void copy_rows(End& to, u64 to_at, const End& from, u64 from_at, const PeerCopy& c, const Place& to_rows,
               const Place& from_rows) {
  for (u64 z = 0; z < c.box.depth; ++z)
    for (u64 y = 0; y < c.box.height; ++y)
      std::memcpy(&to.twin[to_at - to.base + y * to_rows.pitch + z * to_rows.slice],
                  &from.twin[from_at - from.base + y * from_rows.pitch + z * from_rows.slice], c.box.width);
}

TEST(PeerLink, CopiesBoxesEachWayAsMemcpyDoes) {
  const unsigned seed = seed_of_test();
  SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(seed));
  std::mt19937 dice(seed);
  Pair pair(seed);
  for (End& end : pair.ends) end.fill(dice);
  const auto draw = [&](u64 from, u64 to) { return from + dice() % (to - from + 1); };
  for (int round = 0; round < 40; ++round) {
    End &here = pair.ends[round % 2], &there = pair.ends[1 - round % 2];
    PeerCopy c;
    c.way = draw(0, 1) ? PeerCopy::Way::out : PeerCopy::Way::in;
    if (draw(0, 1))
      c.box = {draw(1, 9 * mib), 1, 1}; // more than two pieces
    else
      c.box = {draw(1, 3000), draw(1, 40), draw(1, 20)};
    const auto place = [&](const End& end) {
      Place rows;
      rows.pitch = c.box.width + draw(0, 60);
      rows.slice = rows.pitch * c.box.height + draw(0, 900);
      rows.address = end.base + draw(0, memory - checked_span(rows, c.box));
      return rows;
    };
    c.here = place(here);
    c.there = place(there);
    const Outcome outcome = here.copy(c).get();
    ASSERT_EQ(outcome.status, Status::success) << outcome.what;
    if (c.way == PeerCopy::Way::out)
      copy_rows(there, c.there.address, here, c.here.address, c, c.there, c.here);
    else
      copy_rows(here, c.here.address, there, c.there.address, c, c.here, c.there);
  }
  for (End& end : pair.ends) EXPECT_TRUE(end.is_as_twin());
}

// More than a socket holds goes each way at the same time, from both ends: nobody waits for somebody who waits for him.
TEST(PeerLink, CarriesCopiesBothWaysAtOnce) {
  std::mt19937 dice(7);
  Pair pair(7);
  for (End& end : pair.ends) end.fill(dice);
  const u64 part = memory / 8;
  std::vector<std::future<Outcome>> outcomes;
  for (u64 n = 0; n < 2; ++n)
    for (int turn = 0; turn < 2; ++turn) {
      End &here = pair.ends[turn], &there = pair.ends[1 - turn];
      const u64 from = 2 * n + static_cast<u64>(turn), to = 4 + from; // of the eight parts
      PeerCopy out{
          PeerCopy::Way::out, {here.base + from * part, 0, 0}, {there.base + to * part, 0, 0}, {part, 1, 1}};
      outcomes.push_back(here.copy(out));
      std::memcpy(&there.twin[to * part], &here.twin[from * part], part);
      PeerCopy in{
          PeerCopy::Way::in, {here.base + to * part, 0, 0}, {there.base + from * part, 0, 0}, {part, 1, 1}};
      outcomes.push_back(here.copy(in));
      std::memcpy(&here.twin[to * part], &there.twin[from * part], part);
    }
  for (auto& outcome : outcomes) EXPECT_EQ(outcome.get().status, Status::success);
  for (End& end : pair.ends) EXPECT_TRUE(end.is_as_twin());
}

TEST(PeerLink, SignalsAreHeardWhicheverComesFirst) {
  Pair pair(1);
  End &first = pair.ends[0], &second = pair.ends[1];
  std::future<Outcome> early = second.await(5);
  EXPECT_EQ(early.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  first.link->signal(4);
  first.link->signal(5);
  EXPECT_EQ(early.get().status, Status::success);
  EXPECT_EQ(second.await(4).get().status, Status::success);
  EXPECT_EQ(second.await(4).wait_for(std::chrono::milliseconds(20)), std::future_status::timeout)
      << "heard once";
}

TEST(PeerLink, TellsWhereMemoryIsNotMappedAndGoesOn) {
  Pair pair(2);
  std::mt19937 dice(2);
  for (End& end : pair.ends) end.fill(dice);
  End &here = pair.ends[0], &there = pair.ends[1];
  const u64 hole = there.base + memory - 2 * mib; // half of it is there
  for (const auto way : {PeerCopy::Way::out, PeerCopy::Way::in}) {
    const Outcome outcome = here.copy({way, {here.base, 0, 0}, {hole, 0, 0}, {12 * mib, 1, 1}}).get();
    EXPECT_NE(outcome.status, Status::success);
    EXPECT_NE(outcome.status, devices_unavailable);
    EXPECT_NE(outcome.what, "");
  }
  EXPECT_EQ(here.copy({PeerCopy::Way::out, {here.base, 0, 0}, {there.base, 0, 0}, {mib, 1, 1}}).get().status,
            Status::success);
}

// Of a worker's process another one reaches the device's memory alone.
TEST(PeerLink, EndsWhereTheOtherAsksForWhatIsNoMemoryOfTheDevice) {
  for (const bool beyond : {false, true}) {
    Pair pair(3);
    std::vector<unsigned char> of_the_process(64);
    const u64 wrong = beyond ? pair.ends[1].base + arena - 8 : reinterpret_cast<u64>(of_the_process.data());
    End& here = pair.ends[0];
    EXPECT_NE(here.copy({PeerCopy::Way::in, {here.base, 0, 0}, {wrong, 0, 0}, {64, 1, 1}}).get().status,
              Status::success);
    EXPECT_EQ(here.copy({PeerCopy::Way::out, {here.base, 0, 0}, {wrong, 0, 0}, {64, 1, 1}}).get().status,
              devices_unavailable);
    EXPECT_EQ(of_the_process, std::vector<unsigned char>(64));
  }
}

TEST(PeerLink, FailsWhatIsUnderWayAndAllThatComesOnceTheOtherIsGone) {
  Pair pair(4);
  End& here = pair.ends[0];
  auto waits = here.await(9);
  pair.ends[1].link.reset();
  EXPECT_EQ(waits.get().status, devices_unavailable);
  EXPECT_EQ(here.await(10).get().status, devices_unavailable);
  EXPECT_EQ(
      here.copy({PeerCopy::Way::out, {here.base, 0, 0}, {pair.ends[1].base, 0, 0}, {mib, 1, 1}}).get().status,
      devices_unavailable);
}

TEST(PeerLink, SaysThatTheOtherWasNotFound) {
  LateDevice device(0, 1);
  std::promise<Outcome> connected, copied;
  PeerLink link(
      device, {bases[0], arena},
      []() -> std::unique_ptr<Link> { throw tasuki::Error("nobody is there", "look"); },
      [&](Status status, const std::string& what) {
        connected.set_value({status, what});
      });
  EXPECT_EQ(connected.get_future().get().status, Status::not_supported);
  link.copy({PeerCopy::Way::out, {bases[0], 0, 0}, {bases[1], 0, 0}, {8, 1, 1}},
            [&](Status status, const std::string& what) {
              copied.set_value({status, what});
            });
  const Outcome outcome = copied.get_future().get();
  EXPECT_EQ(outcome.status, devices_unavailable);
  EXPECT_NE(outcome.what.find("nobody is there"), std::string::npos);
}

} // namespace

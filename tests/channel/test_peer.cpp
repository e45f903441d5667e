// Words stored into other ranks' memory, by each mode: none before its owner has said that it is free, all before whoever
// waits for them goes on.
#include <tests/channel/words.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/device/graph.hpp>

#include <gtest/gtest.h>

#include <omp.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace tasuki {
namespace {

using test::Exchanged;
using test::pick;
using test::Random;
using Way = Exchanged::Way;

bool all_reach() {
  World& world = test::world();
  bool reach = world.nodes() == 1;
  for (int r = 0; reach && r < world.node_size(); ++r) reach = test::device().reaches(r);
  return !test::any_rank(!reach);
}

class Peer : public testing::TestWithParam<PeerMode> {
protected:
  void SetUp() override {
    if (!all_reach()) GTEST_SKIP() << "not all ranks can store into each other's memory";
  }
  Exchanged exchanged(int number, long turns, const std::vector<long>& lengths, Way way = Way::ring,
                      Turns counted = Turns::host) const {
    return {device_, number, turns, lengths, way, {ChannelKind::peer, GetParam(), counted}};
  }
  // Ranks come late, each at other times; `random` stays the same on all.
  void dawdle(Random& random) const {
    const long who = pick(random, 0, 5), us = pick(random, 0, 400);
    if (who == rank_ % 6) usleep(static_cast<unsigned>(us));
  }
  std::string seed() const { return "TASUKI_TEST_SEED=" + std::to_string(test::seed()); }

  Device& device_ = test::device();
  Stream& stream_ = device_.stream();
  int rank_ = test::world().rank();
};

std::vector<long> lengths(Random& random) {
  return {pick(random, 1, 9), pick(random, 1, 20000), pick(random, 1, 3000)};
}

// In each way in which a channel is driven; of the device's threads where they are the host's.
TEST_P(Peer, EveryWordArrivesInItsTurn) {
  Random random = test::random(21);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(seed() + ", round " + std::to_string(round));
    constexpr long kTurns = 40;
    Exchanged words = exchanged(round, kTurns, lengths(random));
    Channel& channel = words.channel();
    for (long turn = 0; turn < kTurns; ++turn) {
      words.fill(stream_, turn);
      dawdle(random);
      const long way = pick(random, 0, device_.cuda() ? 1 : 2);
      if (way == 0) channel.whole(stream_);
      if (way == 1) {
        channel.start(stream_);
        dawdle(random);
        channel.finish(stream_);
      }
      if (way == 2) {
        channel.open(stream_);
#pragma omp parallel num_threads(3)
        channel.copies()->share(omp_get_thread_num(), omp_get_num_threads());
        channel.close(stream_);
      }
      words.keep(stream_, turn);
      if (!device_.cuda() && pick(random, 0, 2) == 0) channel.free_ahead(stream_);
    }
    stream_.synchronize();
    EXPECT_EQ(words.wrong_words(), 0);
  }
}

// Who only sends hears nothing but that its receivers are ready, and stores over nothing that they still read.
TEST_P(Peer, OneWayWaitsForTheReceivers) {
  Random random = test::random(22);
  constexpr long kTurns = 60;
  Exchanged words = exchanged(4, kTurns, {1, 9001, 2011}, Way::row);
  for (long turn = 0; turn < kTurns; ++turn) {
    words.start(stream_, turn);
    words.finish(stream_, turn);
    if (rank_ > 0) dawdle(random);
  }
  stream_.synchronize();
  EXPECT_EQ(words.wrong_words(), 0) << seed();
}

// A rank that starts does not wait for one that has not, and stores nothing before that one does.
TEST_P(Peer, NothingIsTouchedBeforeItsOwnerStarts) {
  Exchanged words = exchanged(5, 2, {5, 3000, 700});
  for (long turn = 0; turn < 2; ++turn) {
    const bool first = rank_ == turn % test::world().size();
    if (first) words.start(stream_, turn);
    barrier(test::world());
    // Of one rank all is its own: it has started.
    if (!first) {
      usleep(2000);
      EXPECT_EQ(words.wrong_now(turn - 1), 0) << "the words of the turn before are still read";
      words.start(stream_, turn);
    }
    words.finish(stream_, turn);
    stream_.synchronize();
    EXPECT_EQ(words.wrong_now(turn), 0);
    barrier(test::world());
  }
}

// Whoever has said early that it is ready has its words before it starts.
TEST_P(Peer, WhoIsFreeAheadIsStoredIntoBeforeItStarts) {
  if (device_.cuda()) GTEST_SKIP() << "said ahead on the host alone";
  Exchanged words = exchanged(6, 1, {5, 3000, 700}, Way::row);
  const int last = test::world().size() - 1;
  words.fill(stream_, 0);
  words.channel().free_ahead(stream_);
  barrier(test::world());
  if (rank_ != last || last == 0) words.channel().start(stream_);
  barrier(test::world());
  if (rank_ == last && last > 0) {
    if (GetParam() != PeerMode::pack) {
      // From itself nothing has come: it has not started.
      EXPECT_EQ(words.wrong_now(0), 5);
    }
    words.channel().start(stream_);
  }
  words.channel().finish(stream_);
  words.keep(stream_, 0);
  EXPECT_EQ(words.wrong_words(), 0);
}

TEST_P(Peer, ChannelsTakeTurnsAndOverlap) {
  Random random = test::random(23);
  constexpr long kTurns = 30;
  Exchanged a = exchanged(7, kTurns, lengths(random)), b = exchanged(8, kTurns, lengths(random));
  for (long turn = 0; turn < kTurns; ++turn) {
    const long way = pick(random, 0, 2);
    a.start(stream_, turn);
    if (way == 0) a.finish(stream_, turn);
    b.start(stream_, turn);
    if (way == 1) a.finish(stream_, turn);
    b.finish(stream_, turn);
    if (way == 2) a.finish(stream_, turn);
  }
  stream_.synchronize();
  EXPECT_EQ(a.wrong_words() + b.wrong_words(), 0) << seed();
}

// Flags begin anew with each channel.
TEST_P(Peer, ComesAndGoes) {
  Random random = test::random(24);
  for (int round = 0; round < 8; ++round) {
    const long turns = pick(random, 0, 3);
    Exchanged words = exchanged(9, turns, lengths(random), round % 2 ? Way::row : Way::ring);
    for (long turn = 0; turn < turns; ++turn) {
      words.start(stream_, turn);
      words.finish(stream_, turn);
    }
    stream_.synchronize();
    EXPECT_EQ(words.wrong_words(), 0) << "round " << round << ", " << seed();
  }
}

// What was enqueued once is done many times: in a graph on a GPU.
TEST_P(Peer, TheDeviceCountsTheTurns) {
  Random random = test::random(25);
  constexpr long kTurns = 20;
  for (const Way way : {Way::ring, Way::row})
    for (const bool apart : {false, true}) {
      Exchanged words = exchanged(10, kTurns, lengths(random), way, Turns::device);
      const auto enqueue = [&] {
        if (!apart) return words.channel().whole(stream_);
        words.channel().start(stream_);
        words.channel().finish(stream_);
      };
      std::unique_ptr<Graph> graph;
      if (device_.cuda()) graph = std::make_unique<Graph>(stream_, enqueue);
      for (long turn = 0; turn < kTurns; ++turn) {
        words.fill(stream_, turn);
        graph ? graph->launch(stream_) : enqueue();
        words.keep(stream_, turn);
      }
      stream_.synchronize();
      EXPECT_EQ(words.wrong_words(), 0) << (apart ? "start and finish, " : "whole, ") << seed();
    }
}

INSTANTIATE_TEST_SUITE_P(Mode, Peer, testing::Values(PeerMode::stores, PeerMode::pack, PeerMode::copy2d),
                         [](const auto& info) { return std::string(to_string(info.param)); });

// Parts of one message go by different modes, and some ranks pack nothing: the room for packed ones is made together.
TEST(PeerModes, MayDifferWithinAMessage) {
  if (!all_reach()) GTEST_SKIP() << "not all ranks can store into each other's memory";
  World& world = test::world();
  Device& device = test::device();
  const int size = world.size(), me = world.rank(), next = (me + 1) % size, before = (me + size - 1) % size;
  constexpr long kRow = 24, kRows = 5, kBox = kRow * kRows * 2;
  // The rows of a box lie apart in both memories. Ranks 1, 3, .. send nothing packed.
  const auto box = [](char* memory, long k) {
    Strided s;
    s.base = memory + k * kBox;
    s.run = kRow;
    s.levels = 1;
    s.count[0] = kRows;
    s.stride[0] = 2 * kRow;
    return s;
  };
  const auto mode_of = [](int from, long k) {
    const auto mode = static_cast<PeerMode>(k % 3);
    return from % 2 && mode == PeerMode::pack ? PeerMode::stores : mode;
  };
  constexpr long kBoxes = 7;
  Buffer source(device, kBoxes * kBox);
  const SharedBuffer memory(device, kBoxes * kBox);
  Message out{next, {}}, in{before, {}};
  for (long k = 0; k < kBoxes; ++k) {
    char* const there = next == me ? memory.data() : memory.peer(world.node_rank_of(next));
    out.parts.push_back({box(source.data(), k), box(there, k), mode_of(me, k)});
    in.parts.push_back({box(memory.data(), k), {}, mode_of(before, k)});
  }
  const auto channel = row_of(ChannelKind::peer).make(device, {.outgoing = {out}, .incoming = {in}});
  for (long turn = 0; turn < 3; ++turn) {
    const auto byte = [&](int from, long i) { return static_cast<char>(from * 37 + turn * 11 + i % 101); };
    std::vector<char> sent(kBoxes * kBox), got(sent.size());
    const std::vector<char> blank(sent.size(), 'x');
    for (long i = 0; i < kBoxes * kBox; ++i) sent[static_cast<std::size_t>(i)] = byte(me, i);
    copy_to_device(device, source.data(), sent.data(), sent.size());
    copy_to_device(device, memory.data(), blank.data(), blank.size());
    channel->start(device.stream());
    channel->finish(device.stream());
    device.stream().synchronize();
    copy_to_host(device, got.data(), memory.data(), got.size());
    long wrong = 0;
    for (long i = 0; i < kBoxes * kBox; ++i)
      wrong += got[static_cast<std::size_t>(i)] != (i / kRow % 2 == 0 ? byte(before, i) : 'x');
    EXPECT_EQ(wrong, 0) << "turn " << turn;
  }
}

// A rank without neighbours makes the channel too, and goes through its turns.
TEST(PeerModes, NobodyHasANeighbour) {
  Device& device = test::device();
  const auto channel = row_of(ChannelKind::peer).make(device, {});
  for (int turn = 0; turn < 3; ++turn) {
    channel->start(device.stream());
    channel->finish(device.stream());
  }
  device.stream().synchronize();
  EXPECT_TRUE(channel->copies()->empty());
}

} // namespace
} // namespace tasuki

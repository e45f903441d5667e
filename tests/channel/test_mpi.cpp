// Messages through MPI, with and without communication threads: every word says whence, where, when and which it is, so
// a message that is sent before it is packed, unpacked before it is there, or in a wrong place is a wrong word in a log.
#include <tasuki/channel/courier.hpp>
#include <tests/channel/words.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

namespace tasuki {
namespace {

using test::Exchanged;
using test::pick;
using test::Random;

struct Case {
  const char* name;
  std::string cores; // --progress-cores
  int lanes;
  long delay = 0; // us, of the courier
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Mpi : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    if (GetParam().delay) setenv("TASUKI_COURIER_DELAY", std::to_string(GetParam().delay).c_str(), 1);
    world_ = test::world_with([&](Settings& s) {
      s.progress_cores = GetParam().cores;
      s.lanes = GetParam().lanes;
    });
  }
  void TearDown() override {
    world_.reset();
    unsetenv("TASUKI_COURIER_DELAY");
  }
  long scaled(long turns) const { return GetParam().delay || test::world().size() > 2 ? turns / 2 : turns; }
  std::unique_ptr<World> world_;
};

// Sizes about those at which a message is cut: 16 KiB a piece.
std::vector<long> lengths_about_pieces(Random& random) {
  std::vector<long> list;
  for (int k = 0; k < 3; ++k) {
    const long of[] = {1, 3, 2047, 2048, 2049, 4096, 4097, 6151, 8192, 8193, 40001};
    list.push_back(pick(random, 0, 3) ? of[pick(random, 0, 10)] : pick(random, 1, 20000));
  }
  return list;
}

TEST_P(Mpi, EveryWordArrivesInItsTurn) {
  auto& device = world_->part<Device>();
  Random random = test::random(1);
  for (int round = 0; round < 3; ++round) {
    const std::vector<long> sizes = lengths_about_pieces(random);
    SCOPED_TRACE("TASUKI_TEST_SEED=" + std::to_string(test::seed()) + ", words " + std::to_string(sizes[0]) +
                 ", " + std::to_string(sizes[1]) + ", " + std::to_string(sizes[2]));
    const long turns = scaled(60);
    Exchanged exchanged(device, round, turns, sizes);
    Stream& stream = round % 2 ? device.transfer() : device.stream();
    for (long turn = 0; turn < turns; ++turn) {
      exchanged.start(stream, turn);
      exchanged.finish(stream, turn);
    }
    stream.synchronize();
    EXPECT_EQ(exchanged.wrong_words(), 0);
  }
}

// Who only sends hears nothing from the receivers, and yet packs nothing over what they still read.
TEST_P(Mpi, OneWayWaitsForTheReceivers) {
  auto& device = world_->part<Device>();
  Random random = test::random(4);
  const long turns = scaled(80);
  Exchanged exchanged(device, 9, turns, {1, 40001, 20011}, Exchanged::Way::row);
  for (long turn = 0; turn < turns; ++turn) {
    exchanged.start(device.stream(), turn);
    exchanged.finish(device.stream(), turn);
    if (world_->rank() > 0 && pick(random, 0, 4) == 0) usleep(300);
  }
  device.stream().synchronize();
  EXPECT_EQ(exchanged.wrong_words(), 0) << "TASUKI_TEST_SEED=" << test::seed();
}

// As a program with two memories does, or one that exchanges two fields at different depths.
TEST_P(Mpi, ChannelsTakeTurnsAndOverlap) {
  auto& device = world_->part<Device>();
  Random random = test::random(2);
  const long turns = scaled(40);
  Exchanged a(device, 7, turns, lengths_about_pieces(random)),
      b(device, 8, turns, lengths_about_pieces(random));
  Stream& stream = device.stream();
  for (long turn = 0; turn < turns; ++turn) {
    const long way = pick(random, 0, 2);
    a.start(stream, turn);
    if (way == 0) a.finish(stream, turn);
    b.start(stream, turn);
    if (way == 1) a.finish(stream, turn);
    b.finish(stream, turn);
    if (way == 2) a.finish(stream, turn);
  }
  stream.synchronize();
  EXPECT_EQ(a.wrong_words() + b.wrong_words(), 0) << "TASUKI_TEST_SEED=" << test::seed();
}

// A channel goes while the GPU still has its turns before it, and leaves nothing that a later one could receive.
TEST_P(Mpi, ComesAndGoesWithTheSameTag) {
  auto& device = world_->part<Device>();
  Random random = test::random(3);
  for (int round = 0; round < 12; ++round) {
    const long turns = pick(random, 0, 3);
    Exchanged exchanged(device, 5, turns, lengths_about_pieces(random));
    for (long turn = 0; turn < turns; ++turn) {
      exchanged.start(device.stream(), turn);
      exchanged.finish(device.stream(), turn);
    }
    if (round % 2) continue;
    device.stream().synchronize();
    EXPECT_EQ(exchanged.wrong_words(), 0) << "round " << round << ", TASUKI_TEST_SEED=" << test::seed();
  }
}

TEST_P(Mpi, HasTheThreadsThatWereAskedFor) {
  auto& device = world_->part<Device>();
  const auto courier = Courier::of(device);
  const bool wanted = GetParam().cores != "none" && (!GetParam().cores.empty() || device.cuda());
  if (world_->thread_level() < MPI_THREAD_MULTIPLE) {
    EXPECT_EQ(courier, nullptr);
    return;
  }
  ASSERT_EQ(courier != nullptr, wanted);
  if (!courier) return;
  EXPECT_EQ(courier->threads(), std::max<int>(1, static_cast<int>(world_->progress_cores().size())));
}

// The cores of this process, for a list of them: two threads a rank where there is one rank.
std::string all_cores() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::string list;
  for (int core = 0, count = 0; core < CPU_SETSIZE && count < 2; ++core)
    if (CPU_ISSET(core, &set)) list += (count++ ? "," : "") + std::to_string(core);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Threads, Mpi,
                         testing::Values(Case{"chosen", "", 1}, Case{"none", "none", 1},
                                         Case{"none_2_lanes", "none", 2}, Case{"one", "any", 1},
                                         Case{"one_4_lanes", "any", 4}, Case{"bound", all_cores(), 1},
                                         Case{"bound_2_lanes", all_cores(), 2}, Case{"late", "any", 1, 300},
                                         Case{"late_3_lanes", all_cores(), 3, 300}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ProgressCores, AreKeptForTheirThreads) {
  const std::string two = all_cores();
  if (two.find(',') == std::string::npos) GTEST_SKIP() << "there is one core";
  const std::string second = two.substr(two.find(',') + 1);
  {
    const auto world = test::world_with([&](Settings& s) { s.progress_cores = second; });
    ASSERT_EQ(world->progress_cores(), std::vector<int>{std::stoi(second)});
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    EXPECT_FALSE(CPU_ISSET(std::stoi(second), &set)) << "others keep off the core";
  }
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  EXPECT_TRUE(CPU_ISSET(std::stoi(second), &set)) << "until the world has gone";
}

TEST(ProgressCores, RefusesWhatIsNoList) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_progress_cores(text);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  };
  for (const char* text : {"1,", ",1", "1,,2", "a", "1;2", "-1", "5000", "1 2", "some"})
    EXPECT_NE(message(text).find("not a list of cores; write it as 2,3"), std::string::npos) << text;
  EXPECT_NE(message("3,4,3").find("names core 3 twice"), std::string::npos);
  for (const char* text : {"", "auto", "none", "any", "0", "7,3,12"}) EXPECT_EQ(message(text), "") << text;
}

TEST(ProgressCores, RefusesACoreThatIsNotThere) {
  std::string what;
  try {
    test::world_with([&](Settings& s) { s.progress_cores = "1023"; });
  } catch (const Error& fault) {
    what = fault.what();
  }
  EXPECT_NE(what.find("names core 1023, which rank"), std::string::npos) << what;
}

} // namespace
} // namespace tasuki

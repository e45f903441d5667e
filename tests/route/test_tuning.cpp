#include <tests/route/tuning_file.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace tasuki {
namespace {

using test::made_up;
using test::made_up_line;

TEST(Constants, RowsBetweenMeasuredOnesLieBetween) {
  Tuning t;
  t.measured = true;
  t.machine.device = "host";
  const auto line = [&](FaceShape shape, long row, double latency, double bandwidth) {
    t.lines.push_back(
        {ChannelKind::peer, PeerMode::stores, shape, row, PairKind::node, latency, bandwidth, 0, {}});
  };
  line(FaceShape::stride, 8, 4e-6, 1e9);
  line(FaceShape::block_stride, 128, 2e-6, 4e9);
  line(FaceShape::block, 0, 1e-6, 16e9);
  const auto cost = [&](FaceShape shape, long row) {
    return t.cost(ChannelKind::peer, shape, row, PairKind::node, PeerMode::stores);
  };
  EXPECT_DOUBLE_EQ(cost(FaceShape::stride, 8).bandwidth, 1e9);
  EXPECT_DOUBLE_EQ(cost(FaceShape::stride, 4).bandwidth, 0.5e9); // as many rows a second
  EXPECT_DOUBLE_EQ(cost(FaceShape::block_stride, 128).latency, 2e-6);
  EXPECT_NEAR(cost(FaceShape::block_stride, 32).bandwidth, 2e9, 1e3); // half way, by the logarithm
  EXPECT_NEAR(cost(FaceShape::block_stride, 32).latency, 3e-6, 1e-12);
  EXPECT_DOUBLE_EQ(cost(FaceShape::block, 0).bandwidth, 16e9);
  EXPECT_DOUBLE_EQ(cost(FaceShape::block_stride, 1 << 20).bandwidth, 16e9);
  EXPECT_DOUBLE_EQ(t.predict(ChannelKind::peer, FaceShape::block, 0, 16000, PairKind::node), 2e-6);
}

TEST(Constants, SurviveTheirFile) {
  Tuning t = made_up({made_up_line(ChannelKind::peer, PairKind::node, 1.25e-6, 3.5e9, PeerMode::pack),
                      made_up_line(ChannelKind::mpi, PairKind::far, 7e-6, 1e9)});
  t.lines[0].points = {{64, 1.5e-6}, {1 << 20, 3e-4}};
  t.lines[1].shape = FaceShape::block_stride;
  t.lines[1].row_bytes = 512;
  t.device.graph_node = 5.7e-7;
  t.device.reduction_levels = 1.5e-6;
  const Tuning back = Tuning::parse(t.json(), t.machine);
  ASSERT_EQ(back.lines.size(), 2u);
  EXPECT_EQ(back.lines[0].mode, PeerMode::pack);
  EXPECT_EQ(back.lines[0].latency, 1.25e-6);
  EXPECT_EQ(back.lines[0].points, t.lines[0].points);
  EXPECT_EQ(back.lines[1].shape, FaceShape::block_stride);
  EXPECT_EQ(back.lines[1].row_bytes, 512);
  EXPECT_EQ(back.lines[1].pair, PairKind::far);
  EXPECT_EQ(back.device.graph_node, 5.7e-7);
  EXPECT_EQ(back.device.reduction_levels, 1.5e-6);
  EXPECT_EQ(back.machine.key(), t.machine.key());
  EXPECT_TRUE(back.measured);
}

// What rank 0 says when a world loads the file.
std::string told(const std::string& path, bool& measured) {
  const auto world = test::world_with([&](Settings& s) { s.tuning = path; });
  testing::internal::CaptureStderr();
  measured = tuning(*world).measured;
  tuning(*world); // once
  return testing::internal::GetCapturedStderr();
}

void expect_unused(const std::string& text, const std::string& reason) {
  const test::TuningFile file(text);
  bool measured = true;
  const std::string line = told(file.path(), measured);
  EXPECT_FALSE(measured) << text.substr(0, 200);
  if (test::world().rank() != 0) {
    EXPECT_EQ(line, "");
    return;
  }
  EXPECT_EQ(line.rfind("tasuki: the tuning file " + file.path() + " is not used: " + reason, 0), 0u) << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(File, OfThisMachineIsUsed) {
  const test::TuningFile file(made_up({made_up_line(ChannelKind::self, PairKind::self, 1e-6, 1e9)}).json());
  bool measured = false;
  EXPECT_EQ(told(file.path(), measured), "");
  EXPECT_TRUE(measured);
}

TEST(File, OfAnotherMachineOrVersionIsNotUsed) {
  Tuning t = made_up({made_up_line(ChannelKind::self, PairKind::self, 1e-6, 1e9)});
  const std::string good = t.json();
  expect_unused(replaced(good, "\"tasuki\": \"", "\"tasuki\": \"9."), "it is of tasuki 9.");
  expect_unused(replaced(good, "\"schema\": 1", "\"schema\": 2"), "it is of tasuki ");
  t.machine.device_name = "Abacus 9000";
  expect_unused(t.json(), "it is of another machine, Abacus 9000");
  t = made_up({});
  ++t.machine.ranks_per_node;
  expect_unused(t.json(), "it is of another machine");
}

TEST(File, ThatIsDamagedIsNotUsed) {
  const std::string good = made_up({made_up_line(ChannelKind::peer, PairKind::node, 1e-6, 1e9)}).json();
  expect_unused("", "it is damaged");
  expect_unused("not even json", "it is damaged");
  expect_unused("[]", "it is damaged");
  expect_unused(good.substr(0, good.size() / 2), "it is damaged");
  expect_unused(replaced(good, "\"peer\"", "\"pigeon\""), "it names the channel 'pigeon'");
  expect_unused(replaced(good, "\"bandwidth\": 1000000000.0", "\"bandwidth\": -1"),
                "a line of it has no sense");
  expect_unused(replaced(good, "\"latency\": 1e-06", "\"latency\": \"short\""), "latency ");
}

TEST(File, ThatIsNamedAndNotThereIsRefused) {
  const auto world = test::world_with([&](Settings& s) { s.tuning = "/nowhere/t.json"; });
  try {
    Tuning::load(world->part<Device>());
    FAIL() << "not refused";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("there is no tuning file /nowhere/t.json; "), std::string::npos);
  }
}

TEST(Machine, HasAKeyOfItsOwn) {
  const Machine m = machine_of(test::device());
  EXPECT_EQ(m.key().size(), 16u);
  Machine other = m;
  other.nodes = m.nodes + 1; // no part of it
  EXPECT_EQ(other.key(), m.key());
  for (std::string Machine::*part : {&Machine::device, &Machine::device_name, &Machine::cpu}) {
    other = m;
    other.*part += "x";
    EXPECT_NE(other.key(), m.key());
  }
  EXPECT_NE(Tuning::default_path(m).find("/tasuki/tuning-" + m.key() + ".json"), std::string::npos);
}

} // namespace
} // namespace tasuki

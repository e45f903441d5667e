// What a machine costs: built in by name, or a file's, which is checked.
#include <tasuki/base/error.hpp>
#include <tasuki/model/constants.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tasuki {
namespace {

using test::world;

TEST(Constants, AreWrittenAsTheyAreRead) {
  Constants c = Constants::named("NVIDIA H200");
  c.gap = 1.25e-6;
  c.space.touch = 3e-6;
  c.tuning.lines.front().latency = 9e-6;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tasuki-written-" + std::to_string(world().rank()) + ".json");
  std::ofstream(path) << c.json("a test");
  const Constants back = Constants::load(path.string());
  EXPECT_EQ(back.gap, c.gap);
  EXPECT_EQ(back.space.touch, 3e-6);
  EXPECT_EQ(back.space.section_bandwidth, c.space.section_bandwidth);
  EXPECT_EQ(back.efficiency, c.efficiency);
  ASSERT_EQ(back.tuning.lines.size(), c.tuning.lines.size());
  for (const Line& line : c.tuning.lines)
    for (const long bytes : {100L, 100000L})
      EXPECT_DOUBLE_EQ(
          back.tuning.predict(line.channel, line.shape, line.row_bytes, bytes, line.pair, line.mode),
          c.tuning.predict(line.channel, line.shape, line.row_bytes, bytes, line.pair, line.mode));
  std::filesystem::remove(path);
}

TEST(Constants, AreReadFromAFileAndCheckedThere) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("tasuki-constants-" + std::to_string(world().rank()) + ".json");
  const auto from = [&](const std::string& text) {
    std::ofstream(path) << text;
    return Constants::load(path.string());
  };
  const Constants c = from(R"({"schema": 1, "device": "NVIDIA H200", "memory": 2e12, "devices_a_node": 4,
    "efficiency": {"Relax": 0.5}, "lines": [{"channel": "mpi", "pair": "far", "latency": 1e-6, "bandwidth": 5e10}]})");
  EXPECT_EQ(c.memory, 2e12);
  EXPECT_EQ(c.cache, Constants::named("NVIDIA H200").cache);
  EXPECT_EQ(c.devices_a_node, 4);
  EXPECT_EQ(c.efficiency_of("Relax"), 0.5);
  EXPECT_EQ(c.efficiency_of("Unknown"), c.usual_efficiency);
  EXPECT_DOUBLE_EQ(c.tuning.predict(ChannelKind::mpi, FaceShape::block_stride, 512, 50000, PairKind::far),
                   2e-6);
  EXPECT_THROW(from(R"({"schema": 1, "device": "host", "speed": 1})"), Error);
  EXPECT_EQ(from(R"({"schema": 1, "device": "host", "space": {"touch": 5e-6}})").space.touch, 5e-6);
  EXPECT_THROW(from(R"({"schema": 1, "device": "host", "space": {"touch": 0}})"), Error);
  EXPECT_THROW(from(R"({"schema": 1, "device": "host", "space": {"page": 1}})"), Error);
  EXPECT_THROW(from(R"({"schema": 1, "device": "host", "memory": -1})"), Error);
  EXPECT_THROW(from(R"({"schema": 9, "device": "host"})"), Error);
  for (const char* count : {"0", "1e300", "-3"}) // it becomes a number of tiles
    EXPECT_THROW(
        from(R"({"schema": 1, "device": "NVIDIA H200", "multiprocessors": )" + std::string(count) + "}"),
        Error)
        << count;
  EXPECT_THROW(from("{"), Error);
  EXPECT_THROW(Constants::load("/nowhere/c.json"), Error);
  std::filesystem::remove(path);
}

TEST(Constants, OfATunedMachineAreWhatWasMeasured) {
  Tuning tuning = Tuning::built_in(DeviceKind::cuda);
  tuning.machine.device_name = "NVIDIA H200";
  tuning.measured = true;
  tuning.device.stream_bandwidth = 1e12;
  tuning.device.stream_bandwidth_2 = 2e12;
  tuning.device.launch = 7e-6;
  tuning.space.synchronisation = 8e-6;
  const Constants measured = Constants::of(tuning), named = Constants::named("NVIDIA H200");
  EXPECT_EQ(measured.memory, 2e12); // the better of the two
  EXPECT_EQ(measured.launch, 7e-6);
  EXPECT_EQ(measured.space.synchronisation, 8e-6);
  EXPECT_EQ(measured.space.touch, named.space.touch); // of one node
  EXPECT_EQ(measured.cache_bytes, named.cache_bytes); // nobody measures it
  tuning.measured = false;
  EXPECT_EQ(Constants::of(tuning).memory, named.memory);
}

TEST(Constants, OfADeviceThatNobodyKnowsAreThoseOfAnyGpu) {
  const Constants unknown = Constants::named("a GPU of tomorrow"), host = Constants::named("host");
  EXPECT_TRUE(unknown.cuda);
  EXPECT_FALSE(host.cuda);
  EXPECT_GT(unknown.memory, host.memory);
  EXPECT_GT(unknown.multiprocessors, 1);
}

} // namespace
} // namespace tasuki

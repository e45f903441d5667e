// The model of replica exchange: parts by hand, speeds between and beyond what was measured, refusals.
#include <tasuki/base/error.hpp>
#include <tools/model/argon.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace tasuki::model {
namespace {

Constants nodes_of_eight() {
  Constants c;
  c.name = "a GPU";
  c.devices_a_node = 8;
  c.collective = 2e-6;
  Line far;
  far.channel = ChannelKind::mpi;
  far.pair = PairKind::far;
  far.latency = 5e-6;
  far.bandwidth = 10e9;
  c.tuning.lines = {far};
  return c;
}

// 100 replicas fill the device; 256 atoms cost eight times what 32 cost.
std::vector<ArgonSpeed> speeds() {
  return {{256, 1000, 100, 0.10}, {256, 100, 100, 0.02}, {32, 1000, 50, 0.00625}, {32, 100, 100, 0.0025}};
}

TEST(ArgonModel, PartsOfAnInterval) {
  const Constants c = nodes_of_eight();
  const ArgonModel model({256, 8000, 100, false}, speeds(), c, 50e-9);
  const Parts one = model.at(1);
  EXPECT_DOUBLE_EQ(one[Part::compute], 0.8); // eight times a thousand
  EXPECT_EQ(one[Part::latency], 0);
  EXPECT_EQ(one[Part::bandwidth], 0);
  EXPECT_DOUBLE_EQ(one[Part::host], 8000 * 50e-9);
  const Parts many = model.at(64); // eight nodes of eight: 125 replicas a device
  EXPECT_NEAR(many[Part::compute], 0.02 + 0.08 * 25 / 900, 1e-12);
  EXPECT_DOUBLE_EQ(many[Part::latency], 3 * 2e-6 + 3 * 5e-6);
  EXPECT_DOUBLE_EQ(many[Part::bandwidth], 8.0 * 8000 * 7 / 8 / 10e9);
  EXPECT_DOUBLE_EQ(many[Part::host], one[Part::host]);
}

TEST(ArgonModel, DevicesThatAreNotFullTakeAsLong) {
  const Constants c = nodes_of_eight();
  const ArgonModel model({256, 8000, 100, false}, speeds(), c, 0);
  EXPECT_DOUBLE_EQ(model.at(80)[Part::compute], model.at(8000)[Part::compute]);
  // The busiest counts: nine replicas on two devices are five.
  const ArgonModel nine({256, 1100, 100, false}, speeds(), c, 0);
  EXPECT_DOUBLE_EQ(nine.at(3)[Part::compute], model.compute(256, 367));
}

TEST(ArgonModel, SizesBetweenAndBeyond) {
  const Constants c = nodes_of_eight();
  const ArgonModel model({256, 8000, 100, false}, speeds(), c, 0);
  EXPECT_DOUBLE_EQ(model.compute(32, 1000), 0.0125);
  EXPECT_NEAR(model.compute(90, 1000), 0.0125 * 90 / 32, 1e-4); // the same work an atom at both ends
  EXPECT_DOUBLE_EQ(model.compute(512, 1000), 0.20);
  EXPECT_DOUBLE_EQ(model.compute(16, 1000), 0.00625);
  const ArgonModel once({256, 8000, 100, false}, {{256, 1000, 100, 0.1}}, c, 0);
  EXPECT_DOUBLE_EQ(once.compute(256, 10), 0.001) << "nothing is known of devices that are not full";
}

// 100 replicas at once: 250 are three rounds, of which the last is of 50.
TEST(ArgonModel, TheLastRoundIsOfThoseThatAreLeft) {
  const Constants c = nodes_of_eight();
  const std::vector<ArgonSpeed> rounds = {
      {256, 1, 100, 0.01}, {256, 100, 100, 0.02, 100}, {256, 1000, 100, 0.20}};
  const ArgonModel model({256, 1000, 100, false}, rounds, c, 0);
  EXPECT_DOUBLE_EQ(model.compute(256, 100), 0.02);
  EXPECT_DOUBLE_EQ(model.compute(256, 200), 0.04);
  EXPECT_NEAR(model.compute(256, 250), 0.04 + 0.01 + 0.01 * 49 / 99, 1e-12);
  EXPECT_NEAR(model.compute(256, 201), 0.05, 1e-12) << "one is left, and takes as long as one does";
  EXPECT_DOUBLE_EQ(model.compute(256, 1000), 0.20);
  EXPECT_DOUBLE_EQ(model.rounds(4), 2.5);
  // Devices whose last round is full have nothing to lose.
  const double one = model.at(1)[Part::compute];
  EXPECT_NEAR(one / (5 * model.at(5)[Part::compute]), 1, 1e-9);
  EXPECT_LT(one / (4 * model.at(4)[Part::compute]), 0.92);
  // Without being told how many are done at once, it is a straight line.
  const ArgonModel line({256, 1000, 100, false},
                        {{256, 1, 100, 0.01}, {256, 100, 100, 0.02}, {256, 1000, 100, 0.20}}, c, 0);
  EXPECT_NEAR(line.compute(256, 250), 0.02 + 0.18 * 150 / 900, 1e-12);
  EXPECT_EQ(line.rounds(4), 0);
}

// Records of bench/results: seconds of an interval of 14336 replicas on two and four H200.
TEST(ArgonModel, OfSeveralDevicesIsWithinAFewPercentOfItsRecords) {
  struct Record {
    long atoms;
    int devices;
    double seconds;
  };
  const Constants c = nodes_of_eight();
  for (const Record& r : {Record{256, 2, 0.04681}, {256, 4, 0.02479}, {2048, 2, 0.3342}, {2048, 4, 0.1705}}) {
    const ArgonModel model({r.atoms, 14336, 100, false}, argon_speeds("NVIDIA H200"), c, 0);
    EXPECT_NEAR(model.at(r.devices)[Part::compute] / r.seconds, 1, 0.05)
        << r.atoms << " atoms, " << r.devices;
  }
}

TEST(ArgonModel, PressureSendsVolumes) {
  const Constants c = nodes_of_eight();
  const ArgonModel without({256, 8000, 100, false}, speeds(), c, 0),
      with({256, 8000, 100, true}, speeds(), c, 0);
  EXPECT_DOUBLE_EQ(with.at(64)[Part::bandwidth], 2 * without.at(64)[Part::bandwidth]);
}

TEST(ArgonModel, AgreesWithTheMeasurementOnOneDevice) {
  const Constants c = nodes_of_eight();
  ArgonModel model({256, 8000, 100, false}, speeds(), c, 50e-9);
  model.calibrate(1.0);
  EXPECT_NEAR(model.at(1).total(), 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(model.at(1)[Part::host], 8000 * 50e-9); // it is the arithmetic that is fitted
}

TEST(ArgonModel, TableHasMeasurementsBesideForecasts) {
  const std::string path = ::testing::TempDir() + "argon-speeds.jsonl";
  std::ofstream(path)
      << R"({"atoms": 256, "replicas": 1000, "ranks": 1, "steps_per_exchange": 100, "seconds": 0.1})"
      << "\n\n"
      << R"({"atoms": 256, "replicas": 4000, "ranks": 4, "steps_per_exchange": 100, "seconds": 9})"
      << "\n";
  ArgonOptions o;
  o.job = {256, 8, 100, false};
  o.speeds = path;
  o.measured = {"1:0.2", "3:0.12"};
  const Table table = argon_table(o, nodes_of_eight(), {1, 2, 16});
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_TRUE(table.rows[0].calibrates);
  EXPECT_NEAR(table.rows[0].parts.total(), 0.2, 1e-12);
  EXPECT_EQ(table.rows[2].devices, 3);
  EXPECT_EQ(table.rows[2].measured, 0.12);
  EXPECT_FALSE(table.rows[3].not_here.empty()) << "16 devices have nothing to do for eight replicas";
  EXPECT_NE(table.source.find("only full devices"), std::string::npos);
  EXPECT_EQ(load_argon_speeds(path).size(), 1u) << "of one device alone";
}

TEST(ArgonModel, RefusesWhatIsNoSpeed) {
  const Constants c = nodes_of_eight();
  EXPECT_THROW(ArgonModel({256, 8, 100, false}, {}, c, 0), Error);
  EXPECT_THROW(load_argon_speeds("/nothing/here.jsonl"), Error);
  const std::string path = ::testing::TempDir() + "argon-no-speeds.jsonl";
  std::ofstream(path) << R"({"atoms": 256})"
                      << "\n";
  EXPECT_THROW(load_argon_speeds(path), Error);
  std::ofstream(path) << R"({"atoms": 256, "replicas": 8, "steps_per_exchange": 100, "seconds": 0})"
                      << "\n";
  EXPECT_THROW(load_argon_speeds(path), Error);
  std::ofstream(path, std::ios::trunc) << "\n";
  EXPECT_THROW(load_argon_speeds(path), Error);
  ArgonOptions o;
  std::ofstream(path) << R"({"atoms": 256, "replicas": 8, "steps_per_exchange": 100, "seconds": 1})"
                      << "\n";
  o.speeds = path;
  for (const char* text : {"4", "4:", "x:1", "0:1", "4:-1", "4:1s"}) {
    o.measured = {text};
    EXPECT_THROW(argon_table(o, c, {1}), Error) << text;
  }
}

} // namespace
} // namespace tasuki::model

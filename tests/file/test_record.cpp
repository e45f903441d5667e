#include <tasuki/base/mpi_info.hpp>
#include <tasuki/file/record.hpp>
#include <tests/file/folder.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>

namespace tasuki {
namespace {

using test::world;
namespace fs = std::filesystem;

class RecordFile : public test::InFolder {};

Record example_record() {
  Record record;
  record.program = "himeno";
  record.options = {{"size", "S"}, {"times", 12L}, {"omega", 0.8}, {"record", std::monostate{}}};
  record.run = {.executor = "eager", .steps = 12, .seconds = 1.5};
  record.run.phases = {{"sweep", 1.25}, {"other", 0.25}};
  record.run.channels = {{"mpi", {.bytes = 3000000000, .messages = 24}}};
  record.merit = {"GFLOP/s", 12.5};
  record.results = {{"gosa", 1e-4}, {"norms", std::vector<double>{1, std::nan("")}}, {"good", true}};
  return record;
}

TEST(Record, HoldsTheRun) {
  const auto json = nlohmann::json::parse(to_json(example_record()));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("program"), "himeno");
  EXPECT_EQ(json.at("interrupted"), false);
  EXPECT_TRUE(std::regex_match(json.at("finished").get<std::string>(),
                               std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  EXPECT_EQ(json.at("options"),
            nlohmann::json::parse(R"({"size":"S","times":12,"omega":0.8,"record":null})"));
  EXPECT_EQ(json.at("run"), nlohmann::json::parse(R"({"executor":"eager","steps":12,"seconds":1.5,
      "phases":{"sweep":1.25,"other":0.25},"channels":{"mpi":{"bytes":3000000000,"messages":24}}})"));
  EXPECT_EQ(json.at("merit"), nlohmann::json::parse(R"({"name":"GFLOP/s","value":12.5})"));
  EXPECT_EQ(json.at("results"), nlohmann::json::parse(R"({"gosa":1e-4,"norms":[1.0,null],"good":true})"));
}

TEST(Record, HoldsWhatWasStreamed) {
  Record record = example_record();
  EXPECT_FALSE(nlohmann::json::parse(to_json(record)).at("run").contains("streamed"));
  record.run.brought = 5000000000;
  record.run.taken = 4096;
  EXPECT_EQ(nlohmann::json::parse(to_json(record)).at("run").at("streamed"),
            nlohmann::json::parse(R"({"brought":5000000000,"taken":4096})"));
}

TEST(Record, HasNullWhereThereIsNone) {
  Record record;
  record.merit = {"GFLOP/s", INFINITY};
  record.run.interrupted = true;
  const auto json = nlohmann::json::parse(to_json(record));
  EXPECT_TRUE(json.at("merit").is_null());
  EXPECT_TRUE(json.at("build").at("cuda").is_null());
  EXPECT_EQ(json.at("interrupted"), true);
  EXPECT_TRUE(json.at("options").is_object());
  EXPECT_TRUE(json.at("run").at("phases").is_object());
}

TEST(Record, KnowsTheMachine) {
  const MachineInfo machine = machine_info(world(), test::device());
  EXPECT_EQ(machine.ranks, world().size());
  EXPECT_EQ(machine.hosts, world().hosts());
  EXPECT_EQ(machine.device, test::device().cuda() ? "cuda" : "host");
  EXPECT_FALSE(machine.device_name.empty());
  if (!test::device().cuda()) {
    EXPECT_EQ(machine.devices, world().nodes());
  }
  EXPECT_EQ(machine.threads_per_rank, world().threads());
}

TEST(Record, KnowsTheBuild) {
  const BuildInfo build = build_info();
  EXPECT_TRUE(std::regex_match(build.compiler, std::regex(R"((GCC|Clang) \d+\.\d+\.\d+)"))) << build.compiler;
  EXPECT_TRUE(std::regex_match(build.mpi, std::regex(R"([A-Za-z0-9() ]+ \d+\.\d+.*)"))) << build.mpi;
  EXPECT_EQ(build.mpi, mpi_library());
  EXPECT_EQ(build.cuda.has_value(), cuda_info().built);
#ifdef TASUKI_HAVE_HDF5
  EXPECT_TRUE(std::regex_match(build.hdf5.value_or(""), std::regex(R"(\d+\.\d+\.\d+)")));
#else
  EXPECT_FALSE(build.hdf5);
#endif
}

TEST(Record, KnowsTheGrid) {
  Grid<3> grid(
      world(), {13, 7, 5},
      {.halo = {{0, 1}, {1, 0}, {1, 1}}, .periodic = {true, false, false}, .ranks = {1, world().size(), 1}});
  const GridInfo info = grid_info(grid);
  EXPECT_EQ(info.extents, (std::vector<long>{13, 7, 5}));
  if (world().settings().ranks.empty()) {
    EXPECT_EQ(info.ranks, (std::vector<int>{1, world().size(), 1}));
  }
  EXPECT_EQ(info.periodic, (std::vector<bool>{true, false, false}));
  ASSERT_EQ(info.blocks.size(), 3u);
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(static_cast<int>(info.blocks[a].size()), info.ranks[a]);
    EXPECT_EQ(std::accumulate(info.blocks[a].begin(), info.blocks[a].end(), 0L), info.extents[a]);
  }
  if (world().settings().halo == 0) {
    EXPECT_EQ(info.halo, (std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 1}}));
  }
}

TEST_F(RecordFile, IsReplacedAsAWhole) {
  const std::string path = folder_ + "/run.json";
  Record record = example_record();
  write_record(world(), path, record);
  record.program = "laplace";
  write_record(world(), path, record);
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file).at("program"), "laplace");
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST_F(RecordFile, SaysOnEveryRankWhereItCannotBeWritten) {
  const std::string path = folder_ + "/no/run.json";
  try {
    write_record(world(), path, example_record());
    FAIL() << "it did not throw";
  } catch (const Error& fault) {
    EXPECT_EQ(std::string(fault.what()),
              "the folder of " + path + " does not exist; make it first, or write elsewhere");
  }
}

} // namespace
} // namespace tasuki

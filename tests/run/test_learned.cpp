// What trials found is known in the next start; whatever the file holds changes the time of a run and no bit of it.
#include <tasuki/base/executors.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/run/learned.hpp>
#include <tasuki/run/look.hpp>
#include <tasuki/run/run.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tasuki {
namespace {

using test::world;

struct Halve {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = 0.5f * (u(c, -1) + u(c, 1)) + 0.25f; }
};

std::unique_ptr<World> world_of(const std::string& tuning) {
  return test::world_with([&](Settings& s) {
    s.device = "host"; // where there is more than one executor to try for so small a grid
    s.executor = kAutoExecutor;
    s.tuning = tuning;
  });
}

// A start of the program: a world, and a run of 1024 steps.
struct Start {
  explicit Start(const std::string& tuning, long cells = 64)
      : world(world_of(tuning)), grid(*world, {cells}, {.halo = 1, .periodic = true}) {}
  Program program() {
    return tasuki::program(sweep(Halve{}, grid.all(), reads(u, star(1)), writes(v)), swap(u, v));
  }
  RunReport go() { return run(program(), {.times = 1024}); }

  std::unique_ptr<World> world;
  Grid<1> grid;
  Field<float> u{grid, "u"}, v{grid, "v"};
};

// ~/.cache of the ranks is a folder of their own meanwhile.
class LearnedFile : public testing::Test {
protected:
  void SetUp() override {
    if (const char* cache = std::getenv("XDG_CACHE_HOME")) before_ = cache;
    std::string folder = "/tmp/tasuki-learned-" + std::to_string(getpid());
    share(world(), folder);
    folder_ = folder;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    path_ = Learned::path_of(machine_of(world_of("none")->part<Device>()));
  }
  void TearDown() override {
    MPI_Barrier(world().comm());
    if (world().rank() == 0) std::filesystem::remove_all(folder_);
    before_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }
  void write(const std::string& text) {
    MPI_Barrier(world().comm());
    if (world().rank() == 0) std::ofstream(path_) << text;
    MPI_Barrier(world().comm());
  }
  std::string read() {
    MPI_Barrier(world().comm());
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  std::string folder_, path_, before_;
};

TEST_F(LearnedFile, SparesTheNextStartItsTrial) {
  Start first("");
  const RunReport tried = first.go();
  ASSERT_GT(tried.tried.size(), 1u);
  Start second("");
  const RunReport known = second.go();
  EXPECT_TRUE(known.tried.empty());
  EXPECT_EQ(known.executor, tried.executor);
  EXPECT_EQ(first.u.gather(), second.u.gather());
  EXPECT_GT(Start("", 96).go().tried.size(), 1u) << "a grid of another size is another situation";
  EXPECT_TRUE(Start("").go().tried.empty()) << "and is kept beside the first";
}

TEST_F(LearnedFile, MayBeWrong) {
  Start first("");
  const std::string best = first.go().executor;
  LearnedTable table = LearnedTable::parse(read());
  ASSERT_EQ(table.entries.size(), 1u);
  table.entries.begin()->second.executor = best == "eager" ? "overlapped" : "eager";
  const std::string other = table.entries.begin()->second.executor;
  write(table.json());
  Start wrong("");
  EXPECT_EQ(wrong.go().executor, other);
  EXPECT_EQ(first.u.gather(), wrong.u.gather());

  table.entries.begin()->second.executor = "blocked"; // not to be had on the host, nor in such a program
  write(table.json());
  Start refused("");
  refused.go();
  EXPECT_EQ(first.u.gather(), refused.u.gather());
}

TEST_F(LearnedFile, IsAsGoodAsNoneWhereItIsDamaged) {
  Start("").go();
  const std::string good = read();
  ASSERT_FALSE(good.empty());
  for (const std::string& text :
       {std::string("{"), std::string(), std::string("[1, 2]"), good.substr(0, good.size() / 2),
        std::string(R"({"tasuki": "0.0.1", "executors": {}})"),
        std::string(R"({"tasuki": 7, "executors": [3]})")}) {
    write(text);
    EXPECT_GT(Start("").go().tried.size(), 1u) << text;
    EXPECT_EQ(LearnedTable::parse(read()).entries.size(), 1u) << text; // written anew
  }
}

TEST_F(LearnedFile, IsNotThereWithTuningNone) {
  EXPECT_GT(Start("none").go().tried.size(), 1u);
  EXPECT_TRUE(read().empty());
  EXPECT_GT(Start("none").go().tried.size(), 1u);
}

TEST(LearnedTable, ForgetsWhatIsOldAndTheOldestFirst) {
  LearnedTable table;
  table.keep(7, "eager", 1000);
  EXPECT_EQ(table.find(7, 1000 + LearnedTable::kDays - 1), "eager");
  EXPECT_EQ(table.find(7, 1000 + LearnedTable::kDays), "");
  EXPECT_EQ(table.find(8, 1000), "");
  for (std::uint64_t k = 0; k < LearnedTable::kMost; ++k) table.keep(100 + k, "overlapped", 2000);
  EXPECT_EQ(table.entries.size(), LearnedTable::kMost);
  EXPECT_EQ(table.find(7, 1001), "");
  EXPECT_EQ(LearnedTable::parse(table.json()).entries.size(), LearnedTable::kMost);
  table.entries["0000000000000001"] = {"quantum", 2000};
  EXPECT_EQ(LearnedTable::parse(table.json()).find(1, 2000), "") << "no executor of ours";
}

} // namespace
} // namespace tasuki

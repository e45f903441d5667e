// What a job does around its steps: they are numbered from the first run's start, checkpoints are of the
// steps that were asked for, and a run that goes on from one leaves what a run in one piece leaves.
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/job/job.hpp>
#include <tests/file/folder.hpp>

#include <numeric>

namespace tasuki::job {
namespace {

using test::world;

std::unique_ptr<World> plain_world() {
  return test::world_with([](Settings& s) {
    s.device = "host";
    s.executor = "eager";
    s.halo = 0;
    s.ranks.clear();
  });
}

class Jobs : public test::InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    if (hdf5_version().empty()) GTEST_SKIP() << "no HDF5 in this build";
  }

  struct Left {
    std::vector<double> values;
    std::vector<long> numbers; // of the steps, as a call has them
    std::vector<long> saved;   // the step of the checkpoint, as the next step finds it
    long step = 0;
    bool last_step_done = false;
  };

  // Each step makes of each cell another number, and of each cell and step another one.
  Left left_by(const CommonOptions& options, std::map<std::string, double> fixed = {}, long done = 0) const {
    const auto made = plain_world();
    CommandLine line("job", "a job", options.times);
    line.common = options;
    Job job(*made, line);
    job.fixed = std::move(fixed);
    const Grid<1> grid(*made, {24});
    Field<double> u(grid, "u"), v(grid, "v");
    std::vector<double> first(static_cast<std::size_t>(grid.owned().cells()));
    std::iota(first.begin(), first.end(), static_cast<double>(grid.owned().lo[0]));
    u.from_host(first);
    Left left;
    const auto change = call([&](long step) {
      left.numbers.push_back(step);
      if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint))
        left.saved.push_back(inspect(options.checkpoint).step);
      std::vector<double> values = u.to_host();
      for (double& value : values) value = 0.75 * value + static_cast<double>(step);
      v.from_host(values);
    });
    job.run({.step = items(change) + items(swap(u, v)), .state = {u}, .done = done});
    left.values = u.to_host();
    left.step = job.step();
    left.last_step_done = job.last_step_done();
    return left;
  }

  static CommonOptions until(long times, const std::string& checkpoint = "", const std::string& restart = "",
                             long every = 0) {
    CommonOptions options;
    options.times = times;
    options.checkpoint = checkpoint;
    options.checkpoint_every = every;
    options.restart = restart;
    return options;
  }
  static std::vector<long> from_to(long first, long last) {
    std::vector<long> numbers(static_cast<std::size_t>(last - first + 1));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }
};

TEST_F(Jobs, GoOnAsIfTheyHadNotEnded) {
  const Left whole = left_by(until(11));
  EXPECT_EQ(whole.numbers, from_to(1, 11));
  EXPECT_EQ(whole.step, 11);
  EXPECT_TRUE(whole.last_step_done);
  const std::string path = at("c.h5");
  const Left begun = left_by(until(4, path));
  EXPECT_EQ(begun.numbers, from_to(1, 4));
  EXPECT_EQ(inspect(path).step, 4);
  EXPECT_EQ(inspect(path).kind, "checkpoint");
  const Left middle = left_by(until(9, path, path)); // over the file that it read
  EXPECT_EQ(middle.numbers, from_to(5, 9));
  EXPECT_EQ(middle.step, 9);
  EXPECT_EQ(inspect(path).step, 9);
  CommonOptions last = until(11, "", path);
  last.snapshot = at("s.h5");
  const Left rest = left_by(last);
  EXPECT_EQ(rest.numbers, from_to(10, 11));
  EXPECT_EQ(rest.values, whole.values);
  EXPECT_EQ(inspect(path).step, 9) << "it was read, and not asked for";
  EXPECT_EQ(inspect(at("s.h5")).step, 11);
  EXPECT_EQ(inspect(at("s.h5")).kind, "snapshot");
}

TEST_F(Jobs, CountStepsThatWereDoneBefore) {
  const Left left = left_by(until(9, at("c.h5")), {}, 6);
  EXPECT_EQ(left.numbers, from_to(7, 9));
  EXPECT_EQ(left.step, 9);
  EXPECT_EQ(inspect(at("c.h5")).step, 9);
}

TEST_F(Jobs, SaveInTheStepsThatWereAskedForAndInTheLast) {
  const std::string path = at("c.h5");
  const Left left = left_by(until(10, path, "", 3));
  EXPECT_EQ(left.saved, (std::vector<long>{3, 3, 3, 6, 6, 6, 9})) << "in steps 4 to 10";
  EXPECT_EQ(inspect(path).step, 10);
  const Left more = left_by(until(14, path, path, 3));
  EXPECT_EQ(more.saved, (std::vector<long>{10, 10, 12, 12})) << "counted from the first run's start";
  EXPECT_EQ(inspect(path).step, 14);
  EXPECT_EQ(more.values, left_by(until(14)).values);
}

TEST_F(Jobs, RefuseACheckpointOfAnotherRun) {
  const std::string path = at("c.h5");
  left_by(until(5, path), {{"heat", 1.5}, {"cold", 0.25}});
  EXPECT_EQ(inspect(path).values, (std::map<std::string, double>{{"heat", 1.5}, {"cold", 0.25}}));
  const auto fault = [&](long times, const std::map<std::string, double>& fixed) {
    return fault_of([&] { left_by(until(times, "", path), fixed); });
  };
  EXPECT_EQ(fault(6, {{"heat", 1.5}, {"cold", 0.25}}), "");
  EXPECT_EQ(fault(6, {{"heat", 1.5}, {"new", 7}}), "") << "of which it knows nothing";
  EXPECT_EQ(
      fault(6, {{"heat", 1.5}, {"cold", 0.5}}),
      path + " was written by a run with another cold; run with the same --cold, or use another checkpoint");
  EXPECT_EQ(fault(5, {}), path + " is of step 5, and the run ends at step 5; give --times more than 5");
  EXPECT_EQ(fault(3, {}), path + " is of step 5, and the run ends at step 3; give --times more than 5");
}

} // namespace
} // namespace tasuki::job

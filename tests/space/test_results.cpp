// The record of a program with a job has what the arrays of its spaces cost, where --space-report asks for that.
#include <tasuki/job/job.hpp>
#include <tests/file/folder.hpp>
#include <tests/space/spaces.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace tasuki::test {
namespace {

// The results of a record that a job writes beside a space with one array.
nlohmann::json results(const std::string& path, bool report) {
  one_space(
      std::min(2, world().size()), "auto",
      [&](Settings& s) {
        s.space_report = report;
        s.halo = 0;
        s.ranks.clear();
      },
      [&](Space& space, const std::string&) {
        World& own = space.world();
        const auto a = space.array<long>({4096}, space.bands({4096}, 8), "a");
        EXPECT_EQ(a[0] + a[4095], 0);
        static_cast<void>(space.report()); // said here, not at the end
        job::CommandLine line("job", "a job beside a space", 1);
        line.common.record = path;
        job::Job job(own, line);
        const Grid<1> grid(own, {64});
        Field<float> u(grid, "u"), v(grid, "v");
        const RunReport done = job.run({.step = Items{} + items(swap(u, v)), .state = {u}});
        job.finish(done, {"step/s", 1}, {});
      });
  nlohmann::json read;
  std::ifstream(path) >> read;
  return read["results"];
}

class Results : public InFolder {};

TEST_F(Results, OfARecordHaveWhatASpaceCost) {
  const nlohmann::json with = results(at("with.json"), true);
  ASSERT_TRUE(with.contains("space.a.bytes")) << with;
  EXPECT_EQ(with["space.a.bytes"], 4096 * 8);
  EXPECT_EQ(with["space.a.touches"].get<long>() > 0, world().size() > 1);
  EXPECT_FALSE(results(at("without.json"), false).contains("space.a.bytes"));
}

} // namespace
} // namespace tasuki::test

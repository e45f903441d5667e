// tasuki-diffusion: 3-D diffusion with 7 or 27 points, against the decay of a Fourier mode.
#include <apps/diffusion/diffusion.hpp>
#include <tasuki/job/finite.hpp>
#include <tasuki/job/job.hpp>
#include <tasuki/model/halo_choice.hpp>

#include <algorithm>
#include <cstdio>

namespace ts = tasuki;
using namespace tasuki::diffusion;

namespace {

template <class T>
void solve(ts::World& world, ts::job::Job& job, const Problem& problem) {
  const auto diffusion = ts::with_best_halo(
      world, [&] { return Diffusion<T>(world, problem); }, [](const Diffusion<T>& d) { return d.step(); });
  const double gcells = 1e-9 * problem.cells();
  const ts::RunReport report = job.run(
      {.step = diffusion.step(), .state = {diffusion.u.core()}, .progress = {"diffusion", gcells, "Gcell"}});

  const Errors errors = diffusion.errors(job.step());
  const double steps = static_cast<double>(job.step()),
               rate = gcells * static_cast<double>(report.steps) / report.seconds;
  const double discrete = std::pow(problem.discrete_factor(), steps),
               continuous = std::pow(problem.continuous_factor(), steps);
  if (world.rank() == 0) {
    std::printf("the mode's amplitude after %ld steps: %.9f by the stencil, %.9f by the equation\n",
                job.step(), discrete, continuous);
    std::printf("largest error: %.3e against the stencil's, %.3e against the equation's\n", errors.discrete,
                errors.continuous);
  }
  job.finish(report, {"Gcell/s", rate},
             {{"amplitude_discrete", discrete},
              {"amplitude_continuous", continuous},
              {"error_discrete", errors.discrete},
              {"error_continuous", errors.continuous},
              {"GB/s", rate * 2 * sizeof(T)},
              {"steps", job.step()}});
}

// Three numbers, written as 256x128x128.
CLI::Option* three(CLI::App& app, const std::string& option, std::array<long, 3>& numbers, long least,
                   const std::string& what) {
  const auto parse = [&numbers, least, option](const std::string& text) {
    const std::vector<long> list = ts::parse_extents(text, option);
    if (list.size() != 3 || *std::min_element(list.begin(), list.end()) < least)
      throw ts::Error(option + " is " + text,
                      "give three numbers of " + std::to_string(least) + " or more, as 256x128x128");
    std::copy(list.begin(), list.end(), numbers.begin());
  };
  const std::string usual =
      std::to_string(numbers[0]) + "x" + std::to_string(numbers[1]) + "x" + std::to_string(numbers[2]);
  return app.add_option_function<std::string>(option, parse, what)->default_str(usual);
}

} // namespace

int main(int argc, char** argv) {
  Problem problem;
  bool twice = true;
  ts::job::CommandLine line("diffusion", "3-D diffusion, 7 or 27 points, periodic", 100);
  auto* cube = line.app
                   .add_option_function<long>(
                       "--n",
                       [&](long n) {
                         problem.extents = {n, n, n};
                       },
                       "cells along each axis")
                   ->check(CLI::Range(1L, 1L << 20))
                   ->default_str("128");
  three(line.app, "--extents", problem.extents, 1, "cells along x, y, z")->excludes(cube);
  line.app.add_option("--points", problem.points, "of the stencil: 7 or 27")
      ->check(CLI::IsMember({7, 27}))
      ->capture_default_str();
  ts::job::choice(line.app, "--precision", twice, {"float", "double"}, "of the numbers");
  line.app.add_option("--r", problem.r, "length of a step, in units of a cell's length squared")
      ->check(ts::job::finite())
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  three(line.app, "--waves", problem.waves, 0, "of the first values along x, y, z");
  line.app.callback([&] { problem.check_stable(); });
  ts::World world(argc, argv, line.parse(argc, argv));

  ts::job::Job job(world, line);
  job.options = {{"extents", std::vector<long>(problem.extents.begin(), problem.extents.end())},
                 {"points", static_cast<long>(problem.points)},
                 {"precision", std::string(twice ? "double" : "float")},
                 {"r", problem.r},
                 {"waves", std::vector<long>(problem.waves.begin(), problem.waves.end())}};
  job.fixed = {{"points", problem.points}, {"r", problem.r}};
  for (int a = 0; a < 3; ++a)
    job.fixed[std::string("waves along ") + "xyz"[a]] =
        static_cast<double>(problem.waves[static_cast<std::size_t>(a)]);
  twice ? solve<double>(world, job, problem) : solve<float>(world, job, problem);
}

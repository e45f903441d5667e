// tasuki-diffusion: 3-D diffusion with 7 or 27 points, against the decay of a Fourier mode.
#include <apps/diffusion/diffusion.hpp>
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
      world, [&](const ts::ChosenHalo& chosen) { return Diffusion<T>(world, problem, chosen); },
      [](const Diffusion<T>& d) { return d.step(); });
  const double gcells = 1e-9 * problem.cells();
  const ts::RunReport report =
      job.run({.step = diffusion.step(), .state = {diffusion.u}, .progress = {"diffusion", gcells, "Gcell"}});

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

} // namespace

int main(int argc, char** argv) {
  Problem problem;
  bool twice = true;
  ts::job::CommandLine line("diffusion", "3-D diffusion, 7 or 27 points, periodic", 100);
  const auto into = [](std::array<long, 3>& to) {
    return [&to](const std::vector<long>& n) { std::copy(n.begin(), n.end(), to.begin()); };
  };
  ts::job::add_size(line, kSizes, into(problem.extents), "128x128x128");
  std::string points = "7";
  line.choice("--points", points, {"7", "27"}, "points of the stencil");
  line.choice("--precision", twice, {"float", "double"}, "precision of the cells");
  line.add("--r", problem.r, "time step in units of dx^2", ts::above(0));
  line.add(
          "--waves",
          [&](const std::string& text, const std::string& option) {
            into(problem.waves)(ts::job::parse_size(text, option, {3, 0}));
          },
          "periods of the initial wave along x, y, z", "XxYxZ")
      .usual("1x1x1");
  line.check([&] {
    problem.points = points == "7" ? 7 : 27;
    problem.check_stable();
  });
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

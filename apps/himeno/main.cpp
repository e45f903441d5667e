// tasuki-himeno: the RIKEN Himeno benchmark.
#include <apps/himeno/himeno.hpp>
#include <tasuki/job/job.hpp>
#include <tasuki/model/halo_choice.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ts = tasuki;
using namespace tasuki::himeno;

namespace {

enum class Gosa { every, last };

// The original's way: three iterations tell how many more fill the time.
long iterations_for(double seconds, const Himeno& himeno) {
  const ts::RunReport report = ts::run(ts::Program(himeno.step(1)), {.times = 3});
  return static_cast<long>(std::max(1.0, seconds / (report.seconds / 3)));
}

} // namespace

int main(int argc, char** argv) {
  std::string size = "M";
  Gosa gosa = Gosa::every;
  double seconds = 0;
  ts::job::CommandLine line("himeno", "the RIKEN Himeno benchmark", 100);
  const auto resize = [&](const std::vector<long>& n) { size = ts::job::size_text(n, kSizes); };
  ts::job::add_size(line, kSizes, resize, size);
  line.choice("--gosa", gosa, {"every", "last"},
              "sum the residual in every iteration, as the original benchmark does, or in the last one only");
  line.add("--seconds", seconds,
           "run as the original does: 3 iterations, then as many as fill this time (there: 60 s)",
           ts::above(0))
      .excludes("--times")
      .excludes("--restart");
  ts::World world(argc, argv, line.parse(argc, argv));
  ts::job::Job job(world, line);
  job.options = {{"size", size}, {"gosa", std::string(gosa == Gosa::every ? "every" : "last")}};

  const auto gosa_every = [&] { return gosa == Gosa::every ? 1 : job.times(); };
  const auto himeno = ts::with_best_halo(
      world, [&](const ts::ChosenHalo& chosen) { return Himeno(world, Problem::of(size), chosen); },
      [&](const Himeno& h) { return h.step(gosa_every()); },
      {.every = gosa_every(), .late = true, .told = true});
  long rehearsed = 0;
  if (seconds > 0) {
    rehearsed = 3;
    job.set_times(rehearsed + iterations_for(seconds, himeno));
    job.options["seconds"] = seconds;
  }
  const double gflop = 1e-9 * himeno.problem.flop();
  double residual = NAN; // gosa of the last iteration that the host was told of
  const ts::RunReport report =
      job.run({.step = himeno.step(gosa_every()),
               .state = {himeno.p},
               .progress = {"himeno", gflop, "GFLOP"},
               .monitor = ts::monitor(
                   himeno.gosa, [&](long, double now) { residual = now; }, gosa_every()),
               .done = rehearsed});

  const double rate = gflop * static_cast<double>(report.steps) / report.seconds;
  if (world.rank() == 0) {
    const Problem& n = himeno.problem;
    std::printf("mimax = %ld mjmax = %ld mkmax = %ld\n", n.imax + 1, n.jmax + 1, n.kmax + 1);
    std::printf("imax = %ld jmax = %ld kmax = %ld\n", n.imax, n.jmax, n.kmax);
    std::printf("Loop executed for %ld times\n", report.steps);
    std::printf("Gosa : %e (taken in %s, summed in double precision)\n", residual,
                gosa == Gosa::every ? "every iteration" : "the last iteration alone");
    std::printf("MFLOPS measured : %f  cpu : %f\n", 1e3 * rate, report.seconds);
    std::printf("Score based on Pentium III 600MHz : %f\n", 1e3 * rate / 82.84);
  }
  job.finish(report, {"GFLOP/s", rate},
             {{"gosa", residual}, {"iterations", report.steps}, {"bytes/s", 56 * rate * 1e9 / 34}});
}

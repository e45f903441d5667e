// tasuki-laplace: 2-D Laplace equation, five-point Jacobi, in single or double precision.
#include <apps/laplace/laplace.hpp>
#include <tasuki/job/job.hpp>
#include <tasuki/model/halo_choice.hpp>

#include <cstdio>

namespace ts = tasuki;
using namespace tasuki::laplace;

namespace {

const std::vector<std::string> kBoundaries = {"hot-top", "linear", "nvidia"};
constexpr ts::Range<long> kAxis = {3, 1L << 30}; // cells along one

struct Options {
  Problem problem;
  bool twice = false;      // double precision
  long residual_every = 0; // steps; 0: not before the end
  double until = 0;        // end where the residual is below; 0: never
};

template <class T>
void solve(ts::World& world, ts::job::Job& job, const Options& o) {
  const auto step_of = [&](const Laplace<T>& l) { return l.step(o.residual_every); };
  const auto laplace = ts::with_best_halo(
      world, [&](const ts::ChosenHalo& chosen) { return Laplace<T>(world, o.problem, chosen); }, step_of,
      {.every = o.residual_every, .late = o.until == 0, .told = o.residual_every > 0});
  const double gcells = 1e-9 * static_cast<double>(o.problem.cells());
  ts::Until until;
  if (o.until > 0) until = ts::below(laplace.change, o.until * o.until, o.residual_every);
  ts::Monitor monitor;
  const auto tell = [&](long step, double change) {
    if (world.rank() == 0) std::printf("step %ld residual %.6e\n", step, std::sqrt(change));
  };
  if (o.residual_every > 0) monitor = ts::monitor(laplace.change, tell, o.residual_every);
  const ts::RunReport report = job.run({.step = step_of(laplace),
                                        .state = {laplace.u},
                                        .progress = {"laplace", gcells, "Gcell"},
                                        .until = until,
                                        .monitor = monitor});

  const double residual = laplace.residual();
  const double rate = gcells * static_cast<double>(report.steps) / report.seconds;
  const double traffic = rate * 2 * sizeof(T);
  ts::Values results = {{"residual", residual}, {"steps", job.step()}, {"GB/s", traffic}};
  if (world.rank() == 0) std::printf("residual %.6e after step %ld\n", residual, job.step());
  if (o.until > 0) results["converged"] = report.reached;
  if (o.problem.boundary == Boundary::linear) {
    const double distance = laplace.distance();
    results["distance"] = distance;
    if (world.rank() == 0) std::printf("largest distance from the solution %.6e\n", distance);
  }
  job.finish(report, {"Gcell/s", rate}, results);
}

} // namespace

int main(int argc, char** argv) {
  Options o;
  ts::job::CommandLine line("laplace", "2-D Laplace equation, five-point Jacobi", 1000);
  const auto resize = [&](const std::vector<long>& n) { o.problem.nx = n[0], o.problem.ny = n[1]; };
  ts::job::add_size(line, kSizes, resize, "1024x1024");
  line.add("--nx", o.problem.nx, "cells along x", kAxis).excludes("--size");
  line.add("--ny", o.problem.ny, "cells along y", kAxis).excludes("--size");
  line.choice("--precision", o.twice, {"float", "double"}, "precision of the cells");
  line.choice("--boundary", o.problem.boundary, kBoundaries,
              "hot-top: top row 1, rest 0; linear: u = x; nvidia: as in NVIDIA's multi-GPU Jacobi samples");
  line.add("--residual-every", o.residual_every, "compute and print the residual after every N steps",
           {1, 1L << 40});
  line.add("--until", o.until,
           "end when the residual is below this value (tested every 100 steps by default)", ts::above(0));
  ts::World world(argc, argv, line.parse(argc, argv));
  if (o.until > 0 && !o.residual_every) o.residual_every = 100;

  ts::job::Job job(world, line);
  job.options = {{"nx", o.problem.nx},
                 {"ny", o.problem.ny},
                 {"precision", std::string(o.twice ? "double" : "float")},
                 {"boundary", kBoundaries[static_cast<std::size_t>(o.problem.boundary)]},
                 {"residual-every", o.residual_every},
                 {"until", o.until}};
  job.fixed = {{"boundary", static_cast<double>(o.problem.boundary)}};
  o.twice ? solve<double>(world, job, o) : solve<float>(world, job, o);
}

// The stencils as Tasuki's programs: whole steps, exchanges and swaps included.
#include <apps/diffusion/diffusion.hpp>
#include <apps/himeno/himeno.hpp>
#include <apps/laplace/laplace.hpp>
#include <bench/bench.hpp>

namespace tasuki::bench {
namespace {

void time_program(benchmark::State& state, DeviceKind kind, const Items& step) {
  const Program program(step);
  const long steps = steps_together(kind);
  run(program, {.times = 2});
  for (auto _ : state)
    state.SetIterationTime(run(program, {.times = steps}).seconds / static_cast<double>(steps));
}

void time_laplace(benchmark::State& state, DeviceKind kind, long n) {
  const laplace::Laplace<float> laplace(world_on(kind), {n, n});
  time_program(state, kind, laplace.step());
  count(state, static_cast<double>(laplace.problem.cells()), 8);
}

void time_himeno(benchmark::State& state, DeviceKind kind, const himeno::Problem& size, bool gosa) {
  const himeno::Himeno himeno(world_on(kind), size);
  time_program(state, kind, himeno.step(gosa ? 1 : 1L << 40));
  count(state, size.cells(), 56);
}

void time_diffusion(benchmark::State& state, DeviceKind kind, long n) {
  const diffusion::Diffusion<double> diffusion(world_on(kind), {.extents = {n, n, n}});
  time_program(state, kind, diffusion.step());
  count(state, diffusion.problem.cells(), 16);
}

} // namespace

void register_stencils(DeviceKind kind, const Sizes& sizes) {
  const std::string who = std::string("/tasuki/") + name_of(kind) + "/";
  const long iterations = kind == DeviceKind::cuda ? 5 : 20, nx = sizes.laplace, n = sizes.diffusion;
  add("laplace" + who + std::to_string(nx), iterations,
      [=](benchmark::State& s) { time_laplace(s, kind, nx); });
  for (const std::string& name : sizes.himeno) {
    const auto size = himeno::Problem::of(name);
    add("himeno" + who + name, iterations, [=](benchmark::State& s) { time_himeno(s, kind, size, false); });
    add("himeno_gosa" + who + name, iterations,
        [=](benchmark::State& s) { time_himeno(s, kind, size, true); });
  }
  add("diffusion" + who + std::to_string(n), iterations,
      [=](benchmark::State& s) { time_diffusion(s, kind, n); });
}

} // namespace tasuki::bench

// The stencils by hand on the host.
#include <apps/himeno/himeno.hpp>
#include <bench/bench.hpp>
#include <bench/plain.hpp>

#include <utility>

namespace tasuki::bench {
namespace {

// Times step(from, to) to and fro.
template <class T, class Step>
void time_steps(benchmark::State& state, T* u, T* v, const Step& step) {
  step(u, v);
  step(v, u);
  for (auto _ : state) {
    const double start = seconds();
    step(u, v);
    state.SetIterationTime(seconds() - start);
    std::swap(u, v);
  }
  benchmark::DoNotOptimize(u[0]);
}

void laplace(benchmark::State& state, long n) {
  world_on(DeviceKind::host);
  const HostArray<float> u(n * n), v(n * n);
  time_steps(state, u.get(), v.get(), [=](const float* from, float* to) { plain::laplace(from, to, n, n); });
  count(state, static_cast<double>(n - 2) * static_cast<double>(n - 2), 8);
}

void diffusion(benchmark::State& state, long n) {
  world_on(DeviceKind::host);
  const HostArray<double> u(n * n * n), v(n * n * n);
  time_steps(state, u.get(), v.get(),
             [=](const double* from, double* to) { plain::diffusion(from, to, n, n, n, 0.1); });
  count(state, static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n), 16);
}

void himeno(benchmark::State& state, const himeno::Problem& size, bool original) {
  world_on(DeviceKind::host);
  const long n = size.imax * size.jmax * size.kmax;
  std::vector<HostArray<float>> arrays;
  for (int m = 0; m < 14; ++m) arrays.emplace_back(n);
  const auto array = [&](int m) { return arrays[static_cast<std::size_t>(m)].get(); };
  plain::HimenoArrays list{};
  for (int m = 0; m < 4; ++m) list.a[m] = array(m);
  for (int m = 0; m < 3; ++m) {
    list.b[m] = array(4 + m);
    list.c[m] = array(7 + m);
#pragma omp parallel for
    for (long i = 0; i < n; ++i) array(4 + m)[i] = 0;
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    array(3)[i] = 1.0f / 6.0f;
    array(11)[i] = 0;
  }
  list.bnd = array(10);
  list.wrk1 = array(11);
  float* p = array(12);
  float* wrk2 = array(13);
  if (original) {
    plain::himeno_original(list, p, wrk2, size.imax, size.jmax, size.kmax);
    for (auto _ : state) {
      const double start = seconds();
      benchmark::DoNotOptimize(plain::himeno_original(list, p, wrk2, size.imax, size.jmax, size.kmax));
      state.SetIterationTime(seconds() - start);
    }
  } else {
    time_steps(state, p, wrk2, [&](const float* from, float* to) {
      plain::himeno(list, from, to, size.imax, size.jmax, size.kmax);
    });
  }
  count(state, size.cells(), 56);
}

} // namespace

void register_plain_host(const Sizes& sizes) {
  const long nx = sizes.laplace, n = sizes.diffusion;
  add("laplace/plain/host/" + std::to_string(nx), 20, [=](benchmark::State& state) { laplace(state, nx); });
  for (const std::string& name : sizes.himeno) {
    const auto size = himeno::Problem::of(name);
    add("himeno/plain/host/" + name, 20, [=](benchmark::State& state) { himeno(state, size, false); });
    add("himeno_gosa/plain/host/" + name, 20, [=](benchmark::State& state) { himeno(state, size, true); });
  }
  add("diffusion/plain/host/" + std::to_string(n), 20, [=](benchmark::State& state) { diffusion(state, n); });
}

} // namespace tasuki::bench

// What the memory of a device streams at best.
#include <bench/bench.hpp>
#include <bench/plain.hpp>

#include <memory>

namespace tasuki::bench {
namespace {

void stream_host(benchmark::State& state, long bytes, bool triad) {
  world_on(DeviceKind::host); // its number of threads
  const long n = bytes / static_cast<long>(sizeof(double));
  const HostArray<double> a(n), b(n), c(n);
  plain::triad(a.get(), b.get(), c.get(), n);
  for (auto _ : state) {
    const double start = seconds();
    if (triad)
      plain::triad(a.get(), b.get(), c.get(), n);
    else
      plain::copy(a.get(), b.get(), n);
    state.SetIterationTime(seconds() - start);
  }
  benchmark::DoNotOptimize(a.get()[n / 2]);
  count(state, static_cast<double>(n), triad ? 24 : 16);
}

} // namespace

void register_streams(DeviceKind kind, const Sizes& sizes) {
  for (const bool triad : {false, true}) {
    const std::string name = std::string("stream/") + (triad ? "triad/" : "copy/") + name_of(kind) + "/" +
                             std::to_string(sizes.stream >> 20) + "MiB";
    const long bytes = sizes.stream;
    if (kind == DeviceKind::host)
      add(name, 10, [=](benchmark::State& state) { stream_host(state, bytes, triad); });
#if defined(TASUKI_HAVE_CUDA)
    else
      add(name, 5, [=](benchmark::State& state) { stream_cuda(state, bytes, triad); });
#endif
  }
}

} // namespace tasuki::bench

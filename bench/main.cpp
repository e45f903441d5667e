// tasuki-bench: what memory streams, and the three stencils by Tasuki and by hand, on this machine's devices.
#include <bench/bench.hpp>
#include <bench/shapes.hpp>

#include <tasuki/base/options.hpp>

#include <memory>
#include <sstream>

namespace tasuki::bench {
namespace {

Settings the_settings;
std::unique_ptr<World> the_world;
DeviceKind the_kind{};

void register_all(DeviceKind kind, const Sizes& sizes) {
  register_streams(kind, sizes);
  if (kind == DeviceKind::host) register_plain_host(sizes);
#if defined(TASUKI_HAVE_CUDA)
  if (kind == DeviceKind::cuda) register_plain_cuda(sizes);
#endif
  register_stencils(kind, sizes);
#if defined(TASUKI_HAVE_CUDA)
  if (kind != DeviceKind::cuda) return;
  register_plain_shapes();
  register_flat_shapes();
  register_deep_shapes();
#endif
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

} // namespace

World& world_on(DeviceKind kind) {
  if (!the_world || the_kind != kind) {
    the_world.reset();
    the_settings.device = name_of(kind);
    the_settings.progress = "none";
    the_world = std::make_unique<World>(0, nullptr, the_settings);
    the_kind = kind;
  }
  return *the_world;
}

void count(benchmark::State& state, double cells, double bytes_a_cell) {
  const double steps = static_cast<double>(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(steps * cells * bytes_a_cell));
  state.counters["cells/s"] = benchmark::Counter(steps * cells, benchmark::Counter::kIsRate);
}

} // namespace tasuki::bench

int main(int argc, char** argv) {
  using namespace tasuki;
  using namespace tasuki::bench;
  std::vector<char*> words(argv, argv + argc);
  std::string interleaved =
      "--benchmark_enable_random_interleaving=true"; // what disturbs, disturbs all alike
  words.insert(words.begin() + 1, interleaved.data());
  int count_of_words = static_cast<int>(words.size());
  benchmark::Initialize(&count_of_words, words.data()); // takes its own options out
  Sizes chosen;
  std::string himeno;
  OptionParser line("bench", "What this machine streams, and the stencils by Tasuki and by hand");
  line.add("--stream", chosen.stream, "bytes of an array (usual: 2^28 on the host, 2^30 on a GPU)",
           {4096, 1L << 36});
  line.add("--laplace", chosen.laplace, "cells along each axis (usual: 4096, 16384)", {64, 1L << 20});
  line.add("--himeno", himeno, "sizes (usual: S,M and M,L)");
  line.add("--diffusion", chosen.diffusion, "cells along each axis (usual: 192, 512)", {16, 1L << 14});
  add_options(line, the_settings);
  line.parse(count_of_words, words.data());
  chosen.himeno = split(himeno);

  MPI_Init(nullptr, nullptr); // worlds come and go
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 1) {
    std::fprintf(stderr, "tasuki: tasuki-bench measures one device; start it on one rank\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  std::vector<DeviceKind> kinds;
  if (the_settings.device != "cuda") kinds.push_back(DeviceKind::host);
  if (the_settings.device == "cuda" || (the_settings.device == "auto" && cuda_info().devices > 0))
    kinds.push_back(DeviceKind::cuda);
  world_on(kinds.front()); // says in one line what is wrong with the options, if anything
  for (const DeviceKind kind : kinds) {
    Sizes sizes = kind == DeviceKind::cuda ? Sizes{1L << 30, 16384, {"M", "L"}, 512}
                                           : Sizes{1L << 28, 4096, {"S", "M"}, 192};
    if (chosen.stream) sizes.stream = chosen.stream;
    if (chosen.laplace) sizes.laplace = chosen.laplace;
    if (!chosen.himeno.empty()) sizes.himeno = chosen.himeno;
    if (chosen.diffusion) sizes.diffusion = chosen.diffusion;
    register_all(kind, sizes);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  the_world.reset();
  MPI_Finalize();
}

// tasuki-bench-space: what a space costs between nodes, and the same by hand with MPI beside it. A line of JSON a figure.
//
//   mpirun -n 2 --bind-to none tasuki-bench-space --device host --out lines.jsonl
//
// Each rank is a node of its own. Figures are medians, and those of MPI are taken in turns with those of the space. MPI's
// messages go into memory that is there, the space's pages are new each time.
#include <bench/lines.hpp>
#include <bench/space.hpp>
#include <tasuki/base/options.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <numeric>

namespace tasuki::bench {
namespace {

constexpr std::size_t kPage = 4096;

// The next rank's part of an array of so many bytes a rank, filled by it.
char* others_part(Space& space, long bytes, const char* name) {
  const long ranks = space.world().size(), me = space.world().rank();
  const auto a = space.array<char>({ranks * bytes}, space.bands({ranks * bytes}, 1), name);
  std::fill_n(&a[static_cast<std::size_t>(me * bytes)], bytes, static_cast<char>(me + 1));
  space.sync();
  return &a[static_cast<std::size_t>((me + 1) % ranks * bytes)];
}

void free_array(Space& space, const char* part) { space.free(space.find(part).start); }

// A message of so many bytes from the second rank to the first.
double message(const World& world, std::vector<char>& memory) {
  const int count = static_cast<int>(memory.size());
  MPI_Barrier(world.comm());
  return seconds_of([&] {
    if (world.rank() == 0) MPI_Recv(memory.data(), count, MPI_BYTE, 1, 1, world.comm(), MPI_STATUS_IGNORE);
    if (world.rank() == 1) MPI_Send(memory.data(), count, MPI_BYTE, 0, 1, world.comm());
  });
}

// A question of a word and a reply of a page, both ranks in MPI all the time.
Times round_trip(const World& world, int rounds) {
  std::vector<char> page(kPage);
  std::vector<double> all;
  MPI_Barrier(world.comm());
  for (int k = 0; k < rounds; ++k) {
    if (world.rank() == 0)
      all.push_back(seconds_of([&] {
        MPI_Send(page.data(), 8, MPI_BYTE, 1, 2, world.comm());
        MPI_Recv(page.data(), kPage, MPI_BYTE, 1, 3, world.comm(), MPI_STATUS_IGNORE);
      }));
    if (world.rank() == 1) {
      MPI_Recv(page.data(), 8, MPI_BYTE, 0, 2, world.comm(), MPI_STATUS_IGNORE);
      MPI_Send(page.data(), kPage, MPI_BYTE, 0, 3, world.comm());
    }
  }
  return times_of(all);
}

} // namespace

void touches(Space& space, const Keep& keep) {
  constexpr long kTouches = 1000, kThreads = 4;
  const World& world = space.world();
  char* const there = others_part(space, kThreads * kTouches * static_cast<long>(kPage), "touched");
  // Backwards, so that nothing is fetched ahead.
  const auto touch = [&](long thread) {
    std::vector<double> all;
    for (long k = kTouches; k-- > 0;) {
      const volatile char* const at = there + (thread * kTouches + k) * static_cast<long>(kPage);
      all.push_back(seconds_of([&] { static_cast<void>(*at); }));
    }
    return all;
  };
  const Times mpi = round_trip(world, kTouches);
  std::vector<double> one;
  std::vector<double> four;
  alone(world, [&] { one = touch(0); });
  space.sync(true);
  alone(world, [&] {
    four.push_back(seconds_of([&] {
      std::vector<std::thread> threads;
      for (long t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { touch(t); });
      for (std::thread& thread : threads) thread.join();
    }));
  });
  free_array(space, there);
  if (world.rank() != 0) return;
  keep({"a touch of another node's page", times_of(one), "MPI, there and back", mpi});
  const double a_touch = std::accumulate(one.begin(), one.end(), 0.0) / kTouches;
  const double of_four = four[0] / (kThreads * kTouches);
  keep({"the same by four threads, each", {of_four, of_four}, "one thread", {a_touch, a_touch}});
}

void sections(Space& space, long bytes, int repetitions, const Keep& keep) {
  const World& world = space.world();
  char* const there = others_part(space, bytes, "read");
  std::vector<char> memory(static_cast<std::size_t>(bytes), 1);
  std::vector<double> touched, preloaded, mpi, patches, patches_mpi;
  const long row = 1L << 14, side = 1L << 12,
             rows = std::min(bytes / row, side); // patches of bytes / 4 at most
  MPI_Datatype patch = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(rows), static_cast<int>(side), static_cast<int>(row), MPI_BYTE, &patch);
  MPI_Type_commit(&patch);
  for (int k = 0; k < repetitions; ++k) {
    space.sync(true);
    alone(world, [&] {
      touched.push_back(seconds_of([&] {
        for (const volatile char* at = there; at < there + bytes; at += kPage) static_cast<void>(*at);
      }));
    });
    space.sync(true);
    alone(world, [&] {
      preloaded.push_back(seconds_of([&] { space.preload(there, static_cast<std::size_t>(bytes)); }));
    });
    space.sync(true);
    alone(world, [&] {
      const auto n = [](long extent) { return static_cast<std::size_t>(extent); };
      patches.push_back(seconds_of([&] {
        space.preload(there, {n(bytes / row) * n(world.size()), n(row)}, {n(rows), n(side)}, 1, false);
      }));
    });
    mpi.push_back(message(world, memory));
    MPI_Barrier(world.comm());
    patches_mpi.push_back(seconds_of([&] {
      if (world.rank() == 0) MPI_Recv(memory.data(), 1, patch, 1, 4, world.comm(), MPI_STATUS_IGNORE);
      if (world.rank() == 1) MPI_Send(memory.data(), 1, patch, 0, 4, world.comm());
    }));
  }
  MPI_Type_free(&patch);
  free_array(space, there);
  if (world.rank() != 0) return;
  const auto all = static_cast<double>(bytes);
  keep({"read in order by touches", times_of(touched), "MPI, one message", times_of(mpi), all});
  keep({"read by a preload", times_of(preloaded), "MPI, one message", times_of(mpi), all});
  keep({"a patch of rows of 4 KiB by a preload", times_of(patches), "MPI, one message of a vector",
        times_of(patches_mpi), static_cast<double>(rows * side)});
}

// What its owner writes anew in each step, and another rank reads: by a copy that is held, by a preload in each step, and by
// touches.
void again(Space& space, long bytes, int repetitions, const Keep& keep) {
  const World& world = space.world();
  struct Way {
    const char* name;
    char* there;
    std::vector<double> seconds;
  };
  std::array<Way, 3> ways{Way{"held", nullptr, {}}, Way{"by a preload", nullptr, {}},
                          Way{"by touches", nullptr, {}}};
  for (Way& way : ways) way.there = others_part(space, bytes, way.name);
  const auto all = static_cast<std::size_t>(bytes);
  if (world.rank() == 0) space.hold(ways[0].there, all);
  std::vector<char> memory(all, 1);
  std::vector<double> mpi;
  for (int k = 0; k < repetitions + 1; ++k) { // all is new in the first, which is no measurement
    for (Way& way : ways) {
      if (world.rank() == 1) {
        auto* const own = reinterpret_cast<double*>(space.find(way.there).start + bytes);
        for (long i = 0; i < bytes / static_cast<long>(sizeof(double)); ++i)
          own[i] = 1.0 / static_cast<double>(k + 3 + i % 7);
      }
      MPI_Barrier(world.comm());
      const double began = now();
      space.sync();
      alone(world, [&] {
        if (&way == &ways[1]) space.preload(way.there, all);
        for (const volatile char* at = way.there; at < way.there + bytes; at += kPage) static_cast<void>(*at);
        way.seconds.push_back(now() - began);
      });
    }
    mpi.push_back(message(world, memory));
  }
  for (const Way& way : ways) free_array(space, way.there);
  if (world.rank() != 0) return;
  const auto measured = [](const std::vector<double>& times) {
    return times_of({times.begin() + 1, times.end()});
  };
  for (const Way& way : ways)
    keep({std::string("read again in each step, ") + way.name, measured(way.seconds), "MPI, one message",
          measured(mpi), static_cast<double>(bytes)});
}

void synchronisations(Space& space, long dirty, int repetitions, const Keep& keep) {
  World& world = space.world();
  constexpr int kMany = 300;
  std::vector<double> empty, barriers;
  for (int k = 0; k < kMany; ++k) {
    MPI_Barrier(world.comm());
    barriers.push_back(seconds_of([&] { MPI_Barrier(world.comm()); }));
    empty.push_back(seconds_of([&] { space.sync(); }));
  }
  char* const there = others_part(space, dirty, "written");
  std::vector<char> memory(static_cast<std::size_t>(dirty), 1);
  std::vector<double> full, mpi;
  for (int k = 0; k < repetitions; ++k) {
    if (world.rank() == 0) {
      space.preload(there, static_cast<std::size_t>(dirty), true);
      for (long b = 0; b < dirty; ++b) there[b] = static_cast<char>(b + k);
    }
    MPI_Barrier(world.comm());
    full.push_back(seconds_of([&] { space.sync(); }));
    space.sync(true);
    mpi.push_back(message(world, memory));
  }
  free_array(space, there);
  if (world.rank() != 0) return;
  keep({"a synchronisation, nothing written", times_of(empty), "MPI_Barrier", times_of(barriers)});
  keep({"a synchronisation that sends home", times_of(full), "MPI, one message", times_of(mpi),
        static_cast<double>(dirty)});
}

} // namespace tasuki::bench

int main(int argc, char** argv) {
  using namespace tasuki;
  std::string out, only;
  long mib = 256, again = 16, dirty = 1024, planes = 64, width = 512, cells = 192;
  int repetitions = 5;
  Settings settings;
  OptionParser line("bench-space", "What a space costs between nodes, and the same with MPI");
  line.add("--mib", mib, "MiB of another rank that are read", {1, 1024});
  line.add("--again", again, "MiB that a rank writes in each step, and another reads", {1, 1024});
  line.add("--dirty", dirty, "MiB that a synchronisation sends home", {1, 1024});
  line.add("--planes", planes, "planes of a rank, of the stencil of 27 points", {8, 1L << 20});
  line.add("--width", width, "cells of a plane's side", {8, 1L << 20});
  line.add("--cells", cells, "cells of a side of the grid of fields", {16, 1L << 12});
  line.add("--repetitions", repetitions, "of what is large", {1, 1000});
  line.add("--only", only, "one part: touches, sections, again, syncs, points or fields");
  line.add("--out", out, "lines of JSON are added to this file");
  add_options(line, settings);
  line.parse(argc, argv);

  World first(argc, argv, settings); // keeps MPI
  settings.subclusters = first.size();
  World world(0, nullptr, settings);
  if (world.size() < 2) throw Error("a space costs nothing on one rank", "start two");
  Space space(world);
  bench::Lines kept(world.rank() == 0 ? out : "");
  const auto keep = [&](const bench::Figure& f) {
    std::printf("%-44s %10.4g us, least %10.4g", f.name.c_str(), 1e6 * f.space.median, 1e6 * f.space.least);
    if (f.bytes > 0) std::printf(" %6.2f GB/s", 1e-9 * f.bytes / f.space.median);
    std::printf("; %s %10.4g us, least %10.4g\n", f.beside.c_str(), 1e6 * f.other.median,
                1e6 * f.other.least);
    std::fflush(stdout);
    kept.add(nlohmann::json{{"case", f.name},
                            {"faults", space.faults()},
                            {"ranks", world.size()},
                            {"seconds", f.space.median},
                            {"least", f.space.least},
                            {"beside", f.beside},
                            {"beside_seconds", f.other.median},
                            {"beside_least", f.other.least},
                            {"bytes", f.bytes}}
                 .dump());
  };
  const auto part = [&](const char* name) { return only.empty() || only == name; };
  if (part("touches")) bench::touches(space, keep);
  if (part("sections")) bench::sections(space, mib << 20, repetitions, keep);
  if (part("again")) bench::again(space, again << 20, repetitions, keep);
  if (part("syncs")) bench::synchronisations(space, dirty << 20, repetitions, keep);
  if (part("points")) bench::points(space, planes, width, repetitions, keep);
  if (part("fields")) bench::fields(space, cells, 10L * repetitions, keep);
}

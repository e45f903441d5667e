// tasuki-bench-argon: replica-steps a second of argon's molecular dynamics, in one start of the ranks. A table, and with
// --out a line of JSON for each size.
//
//   mpirun -n 1 tasuki-bench-argon --device cuda 256x14336 2048x14336
//
// A size is atoms x replicas. An interval is what lies between two exchanges: one launch, after which energies are read.
// Replicas start as crystals or liquids (--start) and are warmed up; their temperatures rise from --tmin to --tmax.
#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/exchange/dealt.hpp>
#include <apps/argon/run/sizes.hpp>
#include <bench/lines.hpp>
#include <tasuki/base/settings.hpp>

#include <nlohmann/json.hpp>
#include <tasuki/base/options.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace tasuki::argon {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> sizes;
  std::string out;
  int every = 100, warm = 200;
  double seconds = 3, tmin = 50, tmax = 250;
  Start start = Start::fcc;
  Dynamics dynamics;
  bool breathes = false;
};

// Of all ranks, so that records of one number of steps can be compared.
double energy_an_atom(World& world, const std::vector<Measured>& measured, long atoms) {
  double sum = 0;
  for (const Measured& m : measured) sum += m.potential;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world.comm());
  return sum / static_cast<double>(atoms);
}

Json measure(World& world, long atoms, long count, const Options& o) {
  SystemOptions so;
  so.atoms = atoms;
  so.constant_pressure = o.breathes;
  const System system(so);
  Replicas replicas(world, system, o.dynamics, count);
  std::vector<Conditions> at;
  for (long r = replicas.first(); r < replicas.first() + replicas.owned(); ++r)
    at.push_back({static_cast<float>(
                      o.tmin * std::pow(o.tmax / o.tmin, static_cast<double>(dealt_state(
                                                             static_cast<int>(r), static_cast<int>(count))) /
                                                             static_cast<double>(count))),
                  1});
  replicas.set(at);
  replicas.start(o.start);
  long step = 0;
  const auto interval = [&](int steps) {
    replicas.advance(step, steps);
    step += steps;
    return replicas.measured();
  };
  const auto timed = [&](int steps) {
    MPI_Barrier(world.comm());
    const Clock::time_point start = Clock::now();
    interval(steps);
    MPI_Barrier(world.comm());
    double took = std::chrono::duration<double>(Clock::now() - start).count();
    MPI_Bcast(&took, 1, MPI_DOUBLE, 0, world.comm());
    return took;
  };
  for (int done = 0; done < o.warm; done += o.every) timed(o.every);
  const double warm = energy_an_atom(world, replicas.measured(), atoms * count);
  double least = std::numeric_limits<double>::infinity(), sum = 0;
  int intervals = 0;
  while (sum < o.seconds || intervals < 3) {
    const double took = timed(o.every);
    least = std::min(least, took);
    sum += took;
    ++intervals;
  }
  const double work = static_cast<double>(count) * o.every, mean = sum / intervals;
  return {{"case", "argon/" + std::to_string(atoms) + "x" + std::to_string(count)},
          {"atoms", atoms},
          {"replicas", count},
          {"ranks", world.size()},
          {"threads", world.threads()},
          {"device", world.part<Device>().name()},
          {"steps_per_exchange", o.every},
          {"start", o.start == Start::fcc    ? "fcc"
                    : o.start == Start::half ? "half"
                                             : "liquid"},
          {"potential_kJ_mol_atom", warm},
          {"intervals", intervals},
          {"seconds", mean},
          {"least", least},
          {"replica_steps_per_second", work / mean},
          {"atom_steps_per_second", work / mean * static_cast<double>(atoms)},
          {"ns_per_day", work / mean * o.dynamics.timestep_ps * 86400e-3}};
}

} // namespace
} // namespace tasuki::argon

int main(int argc, char** argv) {
  using namespace tasuki;
  using namespace tasuki::argon;
  Settings settings;
  Options o;
  OptionParser line("bench-argon", "Replica-steps a second of argon");
  line.add("sizes", o.sizes, "atoms x replicas: 256x14336 2048x14336").required();
  line.add("--every", o.every, "steps of an interval", {1, 1000000});
  line.add("--warm", o.warm, "steps before the clock starts", {0, 1 << 30});
  line.add("--seconds", o.seconds, "that a size is timed at least", above(0));
  line.add("--tmin", o.tmin, "lowest temperature, K", above(0));
  line.add("--tmax", o.tmax, "highest", above(0));
  line.add("--out", o.out, "lines of JSON are added to this file");
  line.add("--breathe", o.breathes, "constant pressure");
  line.choice("--start", o.start, {"fcc", "half", "liquid"}, "of all systems");
  line.choice("--thermostat", o.dynamics.thermostat, {"langevin", "nose-hoover", "rescaling", "none"},
              "what holds a replica at its temperature");
  line.choice("--pairs", o.dynamics.pairs, {"automatic", "all", "lists"}, "how pairs are found");
  line.add("--skin", o.dynamics.skin_sigma, "of lists, in sigma [chosen]");
  line.add("--wider", o.dynamics.wider_sigma, "of wide lists, beyond that; 0: none [chosen]");
  add_options(line, settings);
  line.parse(argc, argv);

  World world(argc, argv, settings);
  bench::Lines kept(world.rank() == 0 ? o.out : "");
  if (world.rank() == 0)
    std::printf("%6s %9s %6s %14s %12s %12s  %s\n", "atoms", "replicas", "ranks", "replica-steps/s",
                "ms/interval", "ns/day", "device");
  for (const std::string& size : o.sizes) {
    const std::vector<long> asked = job::parse_size(size, "the size", kSizes);
    const long atoms = asked[0], count = asked[1];
    const Json row = measure(world, atoms, count, o);
    if (world.rank() != 0) continue;
    std::printf("%6ld %9ld %6d %14.4g %12.4g %12.4g  %s\n", atoms, count, world.size(),
                row["replica_steps_per_second"].get<double>(), 1e3 * row["seconds"].get<double>(),
                row["ns_per_day"].get<double>(), row["device"].get<std::string>().c_str());
    std::fflush(stdout);
    kept.add(row.dump());
  }
}

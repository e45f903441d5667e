// tasuki-argon: replica exchange of Lennard-Jones systems.
#include <apps/argon/run/simulation.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/file/record.hpp>
#include <tasuki/job/checksum.hpp>
#include <tasuki/job/outputs.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace ts = tasuki;
using namespace tasuki::argon;

namespace {

// The memory that the run needs on each device, and the memory that is available.
struct Memory {
  std::size_t needed, there;
};

// Throws Error if the memory does not suffice. Called before the ladder is spaced, which also takes memory.
Memory expect_memory(ts::World& world, const Options& o, const System& system) {
  const long most = (o.replicas + world.size() - 1) / world.size();
  Memory memory{};
  memory.needed = memory_needed(system, o.dynamics(), most);
  memory.there = ts::memory_for_fields(world);
  if (memory.needed > memory.there)
    throw ts::Error(fmt::format("{} replicas of {} atoms need {} on each of {} device{}, which has {}",
                                o.replicas, o.atoms, ts::bytes_text(memory.needed), world.size(),
                                world.size() == 1 ? "" : "s", ts::bytes_text(memory.there)),
                    "use more devices, or fewer replicas");
  return memory;
}

// The bytes of the files to which the run adds rows.
std::size_t disk_needed(const Options& o, const System& system, const Ladder& ladder) {
  const Exchange exchange(ladder, o.mixing_kind(), 1, 1);
  const Frames frames = parse_frames(o.trajectory, ladder.states());
  const std::size_t rows = results_layout(o, system, exchange, {}, o.intervals()).bytes();
  if (frames.numbers.empty()) return rows;
  return rows + trajectory_layout(frames, o, system, "", o.steps / o.trajectory_every).bytes();
}

void describe(const Options& o, const System& system, const Ladder& ladder, const Memory& memory, int ranks) {
  fmt::print("{} replicas of {} atoms at {:.6g} g/cm3, box {:.4f} nm, cut-off {:.4f} nm ({})\n", o.replicas,
             o.atoms, o.density, system.box_nm(), system.cutoff_nm(), o.correction);
  if (!system.note().empty()) fmt::print("{}\n", system.note());
  fmt::print("{} temperatures, {:.6g} to {:.6g} K", ladder.temperatures.size(), ladder.temperatures.front(),
             ladder.temperatures.back());
  if (!ladder.pressures.empty())
    fmt::print("; {} pressures, {:.6g} to {:.6g} bar", ladder.pressures.size(), ladder.pressures.front(),
               ladder.pressures.back());
  fmt::print("\n{} steps of {:.6g} fs, exchange every {}, {} thermostat, seed {}\n", o.steps, o.dt,
             o.exchange_every, o.thermostat, o.seed);
  fmt::print("needs {} on each of {} device{} (there are {}), {} on disk and {} or less a checkpoint\n",
             ts::bytes_text(memory.needed), ranks, ranks == 1 ? "" : "s", ts::bytes_text(memory.there),
             ts::bytes_text(disk_needed(o, system, ladder)),
             ts::bytes_text(memory_needed(system, o.dynamics(), o.replicas)));
  std::fflush(stdout);
}

// Of the complete content of a checkpoint, which determines all later steps.
std::uint64_t checksum_of(const Replicas& replicas) {
  std::uint64_t sum = 0;
  for (const ts::AnyField& field : replicas.fields()) sum = sum * 0x100000001b3u + ts::job::checksum(field);
  return sum;
}

ts::Record record_of(ts::World& world, const Options& o, const Simulation& simulation,
                     const SimulationReport& report, const std::string& folder) {
  const Replicas& replicas = simulation.replicas();
  const double steps = static_cast<double>(report.last_step - report.first_step);
  const double rate = report.seconds > 0 ? steps * static_cast<double>(o.replicas) / report.seconds : 0;
  ts::Record record;
  record.program = "argon";
  record.machine = ts::machine_info(world, world.part<ts::Device>());
  record.build = ts::build_info();
  record.options = ts::option_values(world.settings());
  record.options.merge(ts::Values{{"atoms", o.atoms},
                                  {"replicas", o.replicas},
                                  {"density", o.density},
                                  {"steps", o.steps},
                                  {"exchange_every", o.exchange_every},
                                  {"dt", o.dt},
                                  {"thermostat", o.thermostat},
                                  {"correction", o.correction},
                                  {"start", o.start},
                                  {"mixing", o.mixing},
                                  {"ladder", o.ladder},
                                  {"seed", o.seed},
                                  {"verify", o.verify},
                                  {"folder", folder}});
  record.grid = ts::grid_info(replicas.fields().front());
  record.run = {"intervals",
                report.last_step - report.first_step,
                report.seconds,
                report.interrupted,
                report.phases,
                {},
                {}};
  double& other = record.run.phases["other"] = report.seconds;
  for (const auto& [name, seconds] : report.phases) other -= seconds;
  record.merit = ts::Merit{"replica-steps/s", rate};
  record.results = {{"acceptance", simulation.exchange().acceptance()},
                    {"ns/day in all", rate * o.dynamics().timestep_ps * 1e-3 * 86400},
                    {"step", report.last_step},
                    {"folder", folder},
                    {"checksum", ts::job::hex(checksum_of(replicas))}};
  if (o.verify > 0) {
    record.results["verified"] = report.verified;
    record.results["differed"] = report.differed;
  }
  return record;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  ts::Settings settings;
  ts::OptionParser line("argon", "replica exchange of Lennard-Jones systems");
  add_options(line, options);
  ts::add_options(line, settings);
  line.parse(argc, argv, settings);
  if (!settings.ranks.empty()) {
    if (ts::launcher_rank() == 0)
      std::fputs(
          "tasuki: --ranks cuts grids, and argon has none; leave it out, -n alone says how many ranks\n",
          stderr);
    return 2;
  }
  settings.halo = 0; // grids have no halo either, since replicas have no neighbours
  ts::World world(argc, argv, settings);
  if (ts::hdf5_version().empty())
    throw ts::Error("argon keeps its results in HDF5, which this build has not",
                    "install HDF5 and build again");
  if (options.resume && options.folder.empty())
    throw ts::Error("--resume without --folder", "name the folder of the run");

  std::string job;
  if (options.resume) {
    job = RunFolder(world, options.folder, true).read("job.json");
    take_options(job, line, options);
  } else {
    fit_replicas(line, options);
  }
  options.check();
  const System system(options.system());
  const Memory memory = expect_memory(world, options, system);
  Ladder ladder = options.resume ? ladder_of(job) : options.make_ladder();
  parse_frames(options.trajectory, ladder.states());
  const bool speaks = world.rank() == 0;
  if (options.dry_run) {
    if (speaks) describe(options, system, ladder, memory, world.size());
    return 0;
  }
  const ts::job::Outputs outputs(world, {{"--record", options.record}});
  if (options.folder.empty()) options.folder = ts::job::default_folder(world, "argon");
  RunFolder folder(world, options.folder, options.resume);
  if (speaks) describe(options, system, ladder, memory, world.size());
  if (!options.resume) {
    if (options.ladder == "even" && options.temperatures.empty()) {
      if (speaks) fmt::print("two short runs space the ladder\n");
      std::fflush(stdout);
      ladder = even_ladder(world, options, system, ladder);
      if (speaks) fmt::print("to {:.5g} K\n", fmt::join(ladder.temperatures, ", "));
    }
    std::string text = job_json(options, ladder);
    ts::share(world, text); // pow() of another host may round the ladder differently
    ladder = ladder_of(text);
    folder.write("job.json", text);
  }

  const ts::Device& device = world.part<ts::Device>();
  Simulation simulation(world, options, system, ladder, folder,
                        {world.size(), std::string(device.cuda() ? "cuda: " : "host: ") + device.name(),
                         "tasuki-argon " TASUKI_VERSION});
  if (options.resume) folder.write("job.json", job_json(options, ladder)); // the options of the new part
  const SimulationReport report = simulation.run();
  const ts::Record record = record_of(world, options, simulation, report, options.folder);
  ts::write_record(world, folder.record(), record);
  if (!options.record.empty()) ts::write_record(world, options.record, record);
  if (!speaks) return 0;
  fmt::print(
      "argon: {} steps of {} replicas in {:.4g} s: {:.4g} replica-steps/s, {:.4g} ns/day in all, "
      "acceptance {:.3f}\nresults in {}, checksum {}\n",
      record.run.steps, options.replicas, report.seconds, record.merit->value,
      std::get<double>(record.results.at("ns/day in all")), simulation.exchange().acceptance(),
      options.folder, std::get<std::string>(record.results.at("checksum")));
  std::fflush(stdout);
  if (report.interrupted)
    std::fprintf(stderr, "tasuki: interrupted after step %ld; go on with --folder %s --resume\n",
                 report.last_step, options.folder.c_str());
  return 0;
}

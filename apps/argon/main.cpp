// tasuki-argon: replica exchange of Lennard-Jones systems.
#include <apps/argon/simulation.hpp>
#include <apps/common/checksum.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/file/agree.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/file/record.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

namespace ts = tasuki;
using namespace tasuki::argon;

namespace {

// results/argon-20260101-120000, the same on all ranks.
std::string default_folder(ts::World& world) {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::tm parts{};
  localtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  std::string name = std::string("results/argon-") + text;
  ts::share(world, name);
  return name;
}

// What the run needs of memory and disk, before any of it is taken.
struct Needs {
  std::size_t device_bytes, device_has, disk_bytes, checkpoint_bytes;
};

Needs needs_of(ts::World& world, const Options& o, const System& system, const Ladder& ladder) {
  const ts::Device& device = world.part<ts::Device>();
  const long most = (o.replicas + world.size() - 1) / world.size();
  Needs needs{};
  needs.device_bytes = memory_needed(system, o.dynamics(), most);
  needs.device_has =
      device.cuda() ? device.memory() : ts::free_host_memory() / static_cast<std::size_t>(world.host_size());
  const Frames frames = parse_frames(o.trajectory, ladder.states());
  needs.disk_bytes =
      results_layout(o, system, Exchange(ladder, o.mixing_kind(), 1, 1), {}, o.intervals()).bytes() +
      (frames.numbers.empty()
           ? 0
           : trajectory_layout(frames, o, system, "", o.steps / o.trajectory_every).bytes());
  needs.checkpoint_bytes = memory_needed(system, o.dynamics(), o.replicas);
  return needs;
}

void expect_room(const Needs& needs, const Options& o, int ranks) {
  if (needs.device_bytes <= needs.device_has) return;
  throw ts::Error(fmt::format("{} replicas of {} atoms need {} on each of {} device{}, which has {}",
                              o.replicas, o.atoms, ts::bytes_text(needs.device_bytes), ranks,
                              ranks == 1 ? "" : "s", ts::bytes_text(needs.device_has)),
                  "use more devices, or fewer replicas");
}

void describe(const Options& o, const System& system, const Ladder& ladder, const Needs& needs, int ranks) {
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
             ts::bytes_text(needs.device_bytes), ranks, ranks == 1 ? "" : "s",
             ts::bytes_text(needs.device_has), ts::bytes_text(needs.disk_bytes),
             ts::bytes_text(needs.checkpoint_bytes));
  std::fflush(stdout);
}

// Of all that a checkpoint holds, and so of all that is to come.
std::uint64_t checksum_of(const Replicas& replicas) {
  std::uint64_t sum = 0;
  for (const ts::FieldCore* field : replicas.fields())
    sum = sum * 0x100000001b3u + ts::apps::checksum(*field);
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
  record.grid = ts::grid_info(replicas.fields().front()->grid());
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
                    {"checksum", ts::apps::hex(checksum_of(replicas))}};
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
  CLI::App app("replica exchange of Lennard-Jones systems", "tasuki-argon");
  add_options(app, options);
  ts::add_options(app, settings);
  ts::parse_command_line(app, argc, argv);
  ts::World world(argc, argv, settings);
  if (ts::hdf5_version().empty())
    throw ts::Error("argon keeps its results in HDF5, which this build has not",
                    "install parallel HDF5 and build again");
  options.check();

  std::string job;
  if (options.resume) job = RunFolder(world, options.folder, true).read("job.json");
  if (job.empty()) fit_replicas(app, options);
  Ladder ladder = job.empty() ? options.make_ladder() : from_json(job, options.folder, app, options);
  options.check();
  const System system(options.system());
  const Needs needs = needs_of(world, options, system, ladder);
  const bool speaks = world.rank() == 0;
  if (options.dry_run) {
    if (speaks) describe(options, system, ladder, needs, world.size());
    expect_room(needs, options, world.size());
    return 0;
  }
  expect_room(needs, options, world.size());
  if (options.folder.empty()) options.folder = default_folder(world);
  RunFolder folder(world, options.folder, options.resume);
  if (speaks) describe(options, system, ladder, needs, world.size());
  if (job.empty()) {
    if (options.ladder == "even" && options.temperatures.empty())
      ladder = even_ladder(world, options, system, ladder);
    folder.write("job.json", to_json(options, ladder));
  }

  const ts::Device& device = world.part<ts::Device>();
  Simulation simulation(world, options, system, ladder, folder,
                        {world.size(), std::string(device.cuda() ? "cuda: " : "host: ") + device.name(),
                         "tasuki-argon " TASUKI_VERSION});
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

// tasuki-wilson: quark propagators on gauge fields, and hadron correlators.
#include <apps/wilson/run/memory.hpp>
#include <apps/wilson/run/simulation.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/file/record.hpp>
#include <tasuki/job/checksum.hpp>
#include <tasuki/job/outputs.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>

namespace ts = tasuki;
using namespace tasuki::wilson;

namespace {

void describe(const Options& o, const Memory& memory, int ranks) {
  const std::array<long, kAxes> n = o.extents();
  fmt::print("{} of {}, kappa {:.9g} (bare mass {:.6g}), phases {:g}; {} source at {}\n", o.count(),
             fmt::format("{}", fmt::join(n, "x")), o.kappa, action_of(o).mass(), fmt::join(o.thetas(), ", "),
             o.source_file.empty() ? o.source : o.source_file, fmt::join(o.source_site(), ","));
  if (!o.propagator_file.empty()) fmt::print("propagators of {}: nothing is solved\n", o.propagator_file);
  fmt::print("{}, {} inside, links of {} numbers, to {:g}, {} column{} at once\n", o.method, o.inner, o.links,
             o.tolerance, memory.columns, memory.columns == 1 ? "" : "s");
  fmt::print("needs {} on each of {} device{} (there are {})", ts::bytes_text(memory.device), ranks,
             ranks == 1 ? "" : "s", ts::bytes_text(memory.device_has));
  if (memory.host > 0)
    fmt::print(" and {} of each host (there are {})", ts::bytes_text(memory.host),
               ts::bytes_text(memory.host_has));
  fmt::print("\n");
  std::fflush(stdout);
}

// Even and odd sites share a cell, so a grid has half as many cells along x as the lattice has sites.
ts::GridInfo in_sites(ts::GridInfo grid) {
  grid.extents.front() *= 2;
  for (long& sites : grid.blocks.front()) sites *= 2;
  return grid;
}

ts::Record record_of(ts::World& world, const Options& o, const Simulation& simulation,
                     const SimulationReport& report, const std::string& folder) {
  const Results& results = simulation.results();
  ts::Record record;
  record.program = "wilson";
  record.machine = ts::machine_info(world, world.part<ts::Device>());
  record.build = ts::build_info();
  record.options = ts::option_values(world.settings());
  const std::array<double, kAxes> thetas = o.thetas();
  record.options.merge(ts::Values{{"lattice", o.lattice},
                                  {"start", o.generates() ? o.start : "files"},
                                  {"beta", o.beta},
                                  {"configurations", o.count()},
                                  {"kappa", o.kappa},
                                  {"phases", std::vector<double>(thetas.begin(), thetas.end())},
                                  {"norm", o.norm},
                                  {"anisotropy", o.anisotropy},
                                  {"nu", o.nu},
                                  {"source", o.source_file.empty() ? o.source : o.source_file},
                                  {"propagator_file", o.propagator_file},
                                  {"method", o.method},
                                  {"inner", o.inner},
                                  {"links", o.links},
                                  {"tolerance", o.tolerance},
                                  {"seed", o.seed},
                                  {"folder", folder}});
  record.grid = in_sites(ts::grid_info(simulation.lattice().grid()));
  record.run = {o.method, report.columns, report.seconds, report.interrupted, report.phases, {}, {}};
  double& other = record.run.phases["other"] = report.seconds;
  for (const auto& [name, seconds] : report.phases) other -= seconds;
  record.merit =
      ts::Merit{"GFLOP/s", report.solve_seconds > 0 ? report.flops / report.solve_seconds * 1e-9 : 0.0};
  record.results = {{"configurations", results.rows()},
                    {"plaquette", results.plaquette()},
                    {"pion", results.pion()},
                    {"unconverged", results.unconverged()},
                    {"residual", results.worst_residual()},
                    {"solve_seconds", report.solve_seconds},
                    {"folder", folder},
                    {"checksum", ts::job::hex(results.checksum())}};
  return record;
}

// The files of the first and the last configuration are checked; the others differ only in their number.
ts::job::Outputs::Named outputs_of(const Options& o) {
  ts::job::Outputs::Named files = {{"--record", o.record}};
  if (o.write_gauge.empty()) return files;
  files.emplace_back("--write-gauge", numbered(o.write_gauge, 0, o.count()));
  if (o.count() > 1) files.emplace_back("--write-gauge", numbered(o.write_gauge, o.count() - 1, o.count()));
  return files;
}

// Takes the options of the resumed run. Throws Error if those of the command line differ.
void take_job(ts::World& world, const ts::OptionParser& line, Options& o) {
  take_options(RunFolder(world, o.folder, true).read("job.json"), line, o);
  if (o.mass && o.kappa != Action::kappa_of_mass(*o.mass, o.nu / o.anisotropy))
    throw ts::Error(fmt::format("--mass {:.9g}, but the run in {} was begun with kappa {:.9g}", *o.mass,
                                o.folder, o.kappa),
                    "leave the option out, or begin another run in another folder");
}

void show(const Options& o, const SimulationReport& report, const ts::Record& record) {
  const auto& pion = std::get<std::vector<double>>(record.results.at("pion"));
  if (report.last > 0) {
    fmt::print("   t  pion          ln C(t)/C(t+1)\n");
    for (std::size_t t = 0; t < pion.size() / 2 + 1; ++t) {
      fmt::print("{:4}  {:.6e}", t, pion[t]);
      if (t < pion.size() / 2 && pion[t + 1] > 0) fmt::print("  {:.5f}", std::log(pion[t] / pion[t + 1]));
      fmt::print("\n");
    }
  }
  fmt::print(
      "wilson: {} configuration{} of {} ({} column{} now in {:.4g} s: {:.4g} GFLOP/s), plaquette {:.6f}\n"
      "results in {}, checksum {}\n",
      report.last, report.last == 1 ? "" : "s", o.lattice, report.columns, report.columns == 1 ? "" : "s",
      report.seconds, record.merit->value, std::get<double>(record.results.at("plaquette")), o.folder,
      std::get<std::string>(record.results.at("checksum")));
  std::fflush(stdout);
  if (report.interrupted)
    std::fprintf(stderr, "tasuki: interrupted after %ld configurations; go on with --folder %s --resume\n",
                 report.last, o.folder.c_str());
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  ts::Settings settings;
  ts::OptionParser line("wilson", "quark propagators on gauge fields, and hadron correlators");
  add_options(line, options);
  ts::add_options(line, settings);
  line.parse(argc, argv, settings);
  settings.sums = "exact"; // results have the same bits on any number of ranks
  ts::World world(argc, argv, settings);
  if (ts::hdf5_version().empty())
    throw ts::Error("wilson keeps its results in HDF5, which this build has not",
                    "install HDF5 and build again");
  if (options.resume && options.folder.empty())
    throw ts::Error("--resume without --folder", "name the folder of the run");

  ts::on_all(world, [&] { options.settle(line.given("--size") || options.resume); });
  if (options.resume) take_job(world, line, options);
  options.check();
  const Lattice lattice(world, options.extents());
  const Memory memory = expect_memory(lattice, options);
  const bool speaks = world.rank() == 0;
  if (options.dry_run) {
    if (speaks) describe(options, memory, world.size());
    return 0;
  }
  const ts::job::Outputs outputs(world, outputs_of(options));
  if (options.folder.empty()) options.folder = ts::job::default_folder(world, "wilson");
  RunFolder folder(world, options.folder, options.resume);
  if (speaks) describe(options, memory, world.size());
  folder.write("job.json", job_text(options));
  folder.belong_to(fingerprint(options));

  options.columns = memory.columns;
  const ts::Device& device = world.part<ts::Device>();
  Simulation simulation(lattice, options, folder,
                        {world.size(), std::string(device.cuda() ? "cuda: " : "host: ") + device.name(),
                         "tasuki-wilson " TASUKI_VERSION});
  const SimulationReport report = simulation.run();
  const ts::Record record = record_of(world, options, simulation, report, options.folder);
  ts::write_record(world, folder.record(), record);
  if (!options.record.empty()) ts::write_record(world, options.record, record);
  if (speaks) show(options, report, record);
  const long unconverged = simulation.results().unconverged();
  if (unconverged > 0)
    throw ts::Error(
        fmt::format("{} column{} did not converge (worst residual {:.3g}); what was reached is kept in {}",
                    unconverged, unconverged == 1 ? "" : "s", simulation.results().worst_residual(),
                    options.folder),
        "use a smaller --kappa, more --most-iterations, or a larger --tolerance");
  return 0;
}

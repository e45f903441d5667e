// tasuki-model: the predicted time of a step on any number of devices, by part.
#include <tasuki/file/output.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/job/finite.hpp>
#include <tasuki/model/calibrate.hpp>
#include <tasuki/model/predict.hpp>
#include <tasuki/model/terms.hpp>
#include <tasuki/tasuki.hpp>
#include <tools/model/argon.hpp>
#include <tools/model/batch.hpp>
#include <tools/model/programs.hpp>
#include <tools/model/table.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace ts = tasuki;
using namespace tasuki::model;

namespace {

struct Options {
  std::vector<int> devices;
  int forecast = 0;
  std::string executor = "auto"; // a name, "auto" (the fastest) or "all"
  std::string halo;              // a number, "auto" or "" (as the program has it)
  std::string machine, constants;
  int devices_a_node = 0;
  std::string ranks, channel;
  double efficiency = 0;
  double one_took = 0;            // seconds of a step measured on one device ..
  std::string one_with = "eager"; // .. with this executor
  bool json = false;

  std::vector<int> numbers() const {
    std::vector<int> list = devices;
    if (forecast > 0)
      for (int n = 1; n <= forecast; n *= 2) list.push_back(n);
    return list;
  }
};

void add_options(CLI::App& app, Options& o) {
  app.add_option("--devices", o.devices, "how many: 1,2,4")->delimiter(',')->check(CLI::Range(1, 1 << 24));
  app.add_option("--forecast", o.forecast, "1, 2, 4, .. to so many")->check(CLI::Range(1, 1 << 24));
  app.add_flag("--json", o.json, "print JSON");
}

void add_constants_options(CLI::App& app, Options& o) {
  app.add_option("--machine", o.machine,
                 "constants built in for a device, \"NVIDIA H200\" or host (default: this one)");
  app.add_option("--constants", o.constants, "a file of constants")->excludes("--machine");
  app.add_option("--devices-a-node", o.devices_a_node, "that reach each other's memory")
      ->check(CLI::Range(1, 1 << 24));
}

void add_program_options(CLI::App& app, Options& o) {
  add_options(app, o);
  add_constants_options(app, o);
  app.add_option("--executor", o.executor,
                 "eager, overlapped, graph, blocked, resident, all, or auto: the fastest")
      ->check(CLI::IsMember({"eager", "overlapped", "graph", "blocked", "resident", "all", "auto"}))
      ->capture_default_str();
  app.add_option("--halo", o.halo, "its depth, or auto: the fastest (default: what the program asks for)");
  app.add_option("--ranks", o.ranks, "process grid, x first, 0 leaves an axis free");
  app.add_option("--channel", o.channel, "between devices: peer or mpi")
      ->check(CLI::IsMember({"peer", "mpi"}));
  app.add_option("--efficiency", o.efficiency, "part of the bandwidth that every sweep reaches")
      ->check(ts::job::finite())
      ->check(CLI::PositiveNumber);
  app.add_option("--one-took", o.one_took,
                 "seconds a step that were measured on one device: the sweeps are made to agree")
      ->check(ts::job::finite())
      ->check(CLI::PositiveNumber);
  app.add_option("--one-with", o.one_with, "the executor that it was measured with")->capture_default_str();
}

std::array<int, ts::kMaxDims> process_grid(const Options& o, int dims) {
  std::array<int, ts::kMaxDims> ranks{};
  if (o.ranks.empty()) return ranks;
  const std::vector<long> list = ts::parse_extents(o.ranks, "--ranks");
  if (static_cast<int>(list.size()) != dims)
    throw ts::Error(fmt::format("--ranks names {} axes, the grid has {}", list.size(), dims),
                    "give one number an axis");
  for (int a = 0; a < dims; ++a)
    ranks[static_cast<std::size_t>(a)] = static_cast<int>(list[static_cast<std::size_t>(a)]);
  return ranks;
}

// Of the file, of the device that is named, or of this machine.
ts::Constants constants_of(const Options& o, int argc, char** argv) {
  ts::Constants c;
  if (!o.constants.empty()) {
    c = ts::Constants::load(o.constants);
  } else if (!o.machine.empty()) {
    c = ts::Constants::named(o.machine);
  } else {
    ts::Settings settings;
    settings.share_devices = true;
    ts::World world(argc, argv, settings);
    ts::Tuning tuning = ts::tuning(world);
    if (tuning.machine.device_name.empty()) tuning.machine.device_name = world.part<ts::Device>().name();
    c = ts::Constants::of(tuning);
  }
  if (o.devices_a_node > 0) c.devices_a_node = o.devices_a_node;
  if (o.efficiency > 0) {
    c.efficiency.clear();
    c.usual_efficiency = o.efficiency;
  }
  return c;
}

class Forecast {
public:
  Forecast(const Options& options, ts::Description program, ts::Constants constants)
      : o_(options), program_(std::move(program)), c_(std::move(constants)) {
    if (!o_.channel.empty())
      forced_.channel = o_.channel == "mpi" ? ts::ChannelKind::mpi : ts::ChannelKind::peer;
    if (o_.one_took > 0)
      calibrated_ = ts::calibrate(c_, o_.one_took, [&](const ts::Constants& c) {
        return ts::predict(program_, 1, o_.one_with, c).seconds();
      });
  }

  Table table(const std::string& name) const {
    Table table{fmt::format("{} on {}", name, c_.name.empty() ? "an unknown GPU" : c_.name), "", {}};
    if (calibrated_)
      table.source =
          fmt::format("sweeps reach {:.2f} times what is built in, as measured on one device", *calibrated_);
    else if (o_.one_took > 0)
      table.source =
          "the measurement on one device is not explained by its sweeps; constants are as built in";
    for (const int devices : o_.numbers()) {
      std::vector<Row> rows;
      try {
        rows = rows_for(devices);
      } catch (const ts::Error& fault) { // such a cut is not possible
        Row row;
        row.series = o_.executor;
        row.devices = devices;
        row.not_here = fault.what();
        rows.push_back(std::move(row));
      }
      table.rows.insert(table.rows.end(), rows.begin(), rows.end());
    }
    table.rate(o_.executor == "auto");
    return table;
  }

private:
  std::vector<Row> rows_for(int devices) const {
    std::vector<Row> rows;
    for (const char* executor : ts::kModelledExecutors)
      if (o_.executor == "all" || o_.executor == "auto" || o_.executor == executor)
        rows.push_back(row_for(devices, executor));
    if (o_.executor != "auto") return rows;
    const Row* best = nullptr;
    for (const Row& row : rows)
      if (row.not_here.empty() && (!best || row.parts.total() < best->parts.total())) best = &row;
    return {best ? *best : rows.front()};
  }

  Row row_for(int devices, const std::string& executor) const {
    ts::Description program = program_;
    if (o_.halo == "auto")
      program = program.with_halo(ts::best_halo(program, devices, executor, c_));
    else if (!o_.halo.empty())
      program = program.with_halo(std::stoi(o_.halo));
    const ts::Decomposition cut = ts::cut_for(program, devices, c_, process_grid(o_, program.dims));
    const ts::Joining joining = ts::nodes_of(c_.devices_a_node);
    const ts::Workload load =
        ts::workload(program, cut, c_.cuda ? ts::Padding::gpu : ts::Padding::cpu, joining);
    const ts::Prediction p = ts::predict(load, executor, c_, joining, forced_);
    Row row;
    row.series = executor;
    row.devices = devices;
    row.halo = p.halo;
    row.parts = p.parts;
    row.not_here = p.not_here;
    for (int a = 0; a < program.dims; ++a) {
      row.ranks.push_back(cut.ranks[static_cast<std::size_t>(a)]);
      row.block.push_back(load.block.extent(a));
    }
    row.cells = load.cells();
    row.sent = load.sent(false);
    return row;
  }

  const Options& o_;
  ts::Description program_;
  ts::Constants c_;
  ts::Forced forced_;
  std::optional<double> calibrated_;
};

Table table_of(const ts::TermModel& model, const Options& o) {
  Table table{model.name, model.source, {}};
  std::vector<int> devices = o.numbers();
  if (devices.empty()) devices = model.devices;
  for (const ts::TermModel::Case& each : model.cases)
    for (const int n : devices) {
      Row row;
      row.series = each.name;
      row.devices = n;
      row.parts = each.at(n);
      table.rows.push_back(std::move(row));
    }
  table.rate();
  for (Row& row : table.rows) row.chosen = false; // cases are no rivals
  return table;
}

// Programs are described where they cost nothing, whatever device they are predicted for.
ts::Settings on_the_host() {
  ts::Settings settings;
  settings.device = "host";
  settings.threads = 1;
  return settings;
}

void print(const Table& table, bool json) {
  std::fputs((json ? to_json(table) : to_text(table)).c_str(), stdout);
}

// Returns what was done, in a line.
std::string fit_and_write(Batch& steps, const std::string& path) {
  const ts::Fitted result = steps.fit();
  const std::string source = fmt::format(
      "fitted to {} measured steps: the root mean square of log(predicted/measured) "
      "fell from {:.3f} to {:.3f}",
      steps.size(), result.before, result.after);
  ts::replace_file(path, steps.constants().json(source));
  return source;
}

} // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("the predicted time of a step on any number of devices, by part", "tasuki-model");
  app.require_subcommand(1);
  auto programs = subjects();
  for (const auto& subject : programs) {
    CLI::App* sub = app.add_subcommand(subject->name, subject->about);
    subject->add_options(*sub);
    add_program_options(*sub, o);
    sub->callback([&o] {
      if (!o.halo.empty() && o.halo != "auto" &&
          (o.halo.find_first_not_of("0123456789") != std::string::npos || o.halo.size() > 6 ||
           std::stoi(o.halo) < 1))
        throw ts::Error("--halo is '" + o.halo + "'", "give a depth of 1 or more, or auto");
    });
  }
  ArgonOptions replicas;
  CLI::App* argon =
      app.add_subcommand("argon", "replica exchange: an interval, from one exchange to the next");
  add_options(*argon, o);
  add_constants_options(*argon, o);
  add_argon_options(*argon, replicas);
  std::string path;
  CLI::App* terms = app.add_subcommand("terms", "a model that is a sum of terms, from a file");
  terms->add_option("file", path, "as models/dscuda-remd-2014.json")->required();
  add_options(*terms, o);
  CLI::App* batch = app.add_subcommand("batch", "measured steps beside what is predicted for them");
  batch->add_option("file", path, "lines of JSON, or - for standard input")->required();
  add_constants_options(*batch, o);
  batch->add_flag("--json", o.json, "print JSON");
  std::string fitted;
  batch->add_option("--fit", fitted, "fit the constants to the measurements and write them to this file");
  ts::parse_command_line(app, argc, argv);

  ts::World world(argc, argv, on_the_host()); // from here on an error is a line
  if (!fitted.empty()) ts::refuse_output(fitted, "--fit");
  if (*terms) {
    print(table_of(ts::load_terms(path), o), o.json);
    return 0;
  }
  if (o.numbers().empty()) o.devices = {1, 2, 4, 8};
  const ts::Constants constants = constants_of(o, argc, argv);
  if (*argon) {
    print(argon_table(replicas, constants, o.numbers()), o.json);
    return 0;
  }
  if (*batch) {
    Batch steps(world, path, constants);
    std::string source;
    if (!fitted.empty()) source = fit_and_write(steps, fitted);
    Table table = steps.table();
    table.source = source;
    print(table, o.json);
    return 0;
  }
  for (const auto& subject : programs)
    if (app.got_subcommand(subject->name))
      print(Forecast(o, subject->description(world), constants).table(subject->name), o.json);
}

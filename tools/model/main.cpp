// tasuki-model: the predicted time of a step on any number of devices, by part.
#include <tasuki/base/executors.hpp>
#include <tasuki/file/output.hpp>
#include <tasuki/file/part_file.hpp>
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
#include <optional>

namespace ts = tasuki;
using namespace tasuki::model;

namespace {

constexpr ts::Range<int> kDevices = {1, 1 << 24};

struct Options {
  std::vector<int> devices;
  int forecast = 0;
  std::string executor = "auto"; // a name, "auto" (the fastest) or "all"
  int halo = 0;                  // kAutoHalo: the fastest; kDirectHalo; 0: as the program has it
  std::string machine, constants;
  int devices_a_node = 0;
  std::vector<int> ranks;
  std::string channel;
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

void add_options(ts::OptionParser& line, Options& o) {
  line.add("--devices", o.devices, "numbers of devices: 1,2,4", kDevices);
  line.add("--forecast", o.forecast, "predict for 1, 2, 4, .. up to this many devices", kDevices);
  line.add("--json", o.json, "print JSON");
}

void add_constants_options(ts::OptionParser& line, Options& o) {
  line.add("--machine", o.machine,
           "constants built in for a device, \"NVIDIA H200\" or host (default: this one)");
  line.add("--constants", o.constants, "file with the constants of a machine").excludes("--machine");
  line.add("--devices-a-node", o.devices_a_node, "devices of a node, which reach each other's memory",
           kDevices);
}

void add_program_options(ts::OptionParser& line, Options& o) {
  add_options(line, o);
  add_constants_options(line, o);
  std::vector<std::string> executors = ts::executor_names();
  executors.insert(executors.end(), {"all", ts::kAutoExecutor});
  line.choice("--executor", o.executor, executors, "executor; all: a row for each; auto: the fastest");
  line.add(
      "--halo",
      [&o](const std::string& text, const std::string& option) { o.halo = ts::parse_halo(text, option); },
      "width of the halos; auto: the fastest; direct: neighbours of a node read each other's cells (default: "
      "that of "
      "the program)",
      "INT|auto|direct");
  line.add(
      "--ranks",
      [&o](const std::string& text, const std::string& option) { o.ranks = ts::parse_ranks(text, option); },
      "process grid, x first; 0: chosen for this axis", "XxY..");
  line.choice("--channel", o.channel, {"peer", "mpi"}, "channel between devices");
  line.add("--efficiency", o.efficiency, "fraction of the memory bandwidth that sweeps reach", ts::above(0));
  line.add("--one-took", o.one_took,
           "measured seconds per step on one device, to which the sweeps are scaled", ts::above(0));
  line.add("--one-with", o.one_with, "executor of that measurement");
}

std::array<int, ts::kMaxDims> process_grid(const Options& o, int dims) {
  std::array<int, ts::kMaxDims> ranks{};
  if (o.ranks.empty()) return ranks;
  if (static_cast<int>(o.ranks.size()) != dims)
    throw ts::Error(fmt::format("--ranks names {} axes, the grid has {}", o.ranks.size(), dims),
                    "give one number an axis");
  std::copy(o.ranks.begin(), o.ranks.end(), ranks.begin());
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
    for (const std::string& executor : ts::executor_names())
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
    if (o_.halo == ts::kAutoHalo)
      program = program.with_halo(ts::best_halo(program, devices, executor, c_));
    else if (o_.halo != 0)
      program = program.with_halo(o_.halo);
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
  Table table{model.name, model.source, {}, model.weak};
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
  ts::OptionParser line("model", "the predicted time of a step on any number of devices, by part");
  auto programs = subjects();
  std::vector<const ts::OptionParser*> commands;
  for (const auto& subject : programs) {
    ts::OptionParser& command = line.command(subject->name, subject->about);
    subject->add_options(command);
    add_program_options(command, o);
    commands.push_back(&command);
  }
  ArgonOptions replicas;
  ts::OptionParser& argon =
      line.command("argon", "replica exchange: an interval, from one exchange to the next");
  add_options(argon, o);
  add_constants_options(argon, o);
  add_argon_options(argon, replicas);
  std::string path;
  ts::OptionParser& terms = line.command("terms", "a model that is a sum of terms, from a file");
  terms.add("file", path, "as models/dscuda-remd-2014.json").required();
  add_options(terms, o);
  bool here = false;
  terms.add("--here", here, "a space costs what `tasuki tune` measured here, not what the file says");
  terms.add("--constants", o.constants, "the same, of a file of constants").excludes("--here");
  ts::OptionParser& batch = line.command("batch", "measured steps beside what is predicted for them");
  batch.add("file", path, "lines of JSON, or - for standard input").required();
  add_constants_options(batch, o);
  batch.add("--json", o.json, "print JSON");
  bool as_they_are = false;
  batch.add("--uncalibrated", as_they_are,
            "by the constants as they are, as a run decides: no sweep is made to agree with a measurement");
  std::string fitted;
  batch.add("--fit", fitted, "fit the constants to the measurements and write them to this file")
      .excludes("--uncalibrated");
  line.parse(argc, argv);

  ts::World world(argc, argv, on_the_host()); // from here on an error is a line
  if (!fitted.empty()) ts::refuse_output(fitted, "--fit");
  if (terms.chosen()) {
    std::optional<ts::SpaceConstants> space;
    if (here || !o.constants.empty()) space = constants_of(o, argc, argv).space;
    print(table_of(ts::load_terms(path, space ? &*space : nullptr), o), o.json);
    return 0;
  }
  if (o.numbers().empty()) o.devices = {1, 2, 4, 8};
  const ts::Constants constants = constants_of(o, argc, argv);
  if (argon.chosen()) {
    print(argon_table(replicas, constants, o.numbers()), o.json);
    return 0;
  }
  if (batch.chosen()) {
    Batch steps(world, path, constants);
    std::string source;
    if (!fitted.empty()) source = fit_and_write(steps, fitted);
    Table table = steps.table(as_they_are);
    table.source = source;
    print(table, o.json);
    return 0;
  }
  for (std::size_t k = 0; k < programs.size(); ++k)
    if (commands[k]->chosen())
      print(Forecast(o, programs[k]->description(world), constants).table(programs[k]->name), o.json);
}

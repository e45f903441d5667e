#include <tasuki/base/executors.hpp>
#include <tasuki/base/json_number.hpp>
#include <tasuki/model/calibrate.hpp>
#include <tools/model/batch.hpp>
#include <tools/model/programs.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace tasuki::model {
namespace {

using Json = nlohmann::json;

// The description of a program and size, made once for each.
class Descriptions {
public:
  explicit Descriptions(World& world) : world_(world) {}

  const Description& of(const std::vector<std::string>& words) {
    if (const auto known = made_.find(words); known != made_.end()) return known->second;
    for (const auto& subject : subjects()) {
      if (words.empty() || subject->name != words.front()) continue;
      OptionParser line("model", subject->about);
      subject->add_options(line);
      line.read({words.begin() + 1, words.end()});
      return made_.emplace(words, subject->description(world_)).first->second;
    }
    throw Error(fmt::format("'{}' names no program", fmt::join(words, " ")),
                "use laplace, himeno or diffusion");
  }

private:
  World& world_;
  std::map<std::vector<std::string>, Description> made_;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) throw Error("cannot read " + path, "give a file of measured steps");
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(path == "-" ? std::cin : file, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  return lines;
}

bool known(const std::string& executor) {
  return std::any_of(kExecutors.begin(), kExecutors.end(),
                     [&](const ExecutorRow& row) { return executor == row.name; });
}

} // namespace

double Batch::Step::predicted(const Constants& c) const {
  return predict(load, executor, c, joining).seconds();
}

Batch::Batch(World& world, const std::string& path, const Constants& constants) : constants_(constants) {
  Descriptions descriptions(world);
  for (const std::string& line : lines_of(path)) {
    Step step;
    try {
      const Json json = Json::parse(line);
      step.words = json.at("words").get<std::vector<std::string>>();
      step.executor = json.at("executor").get<std::string>();
      step.devices = json_number<int>(json.at("devices"), path + ": devices", {1, 1 << 24});
      step.seconds = json_number<double>(json.at("seconds"), path + ": seconds");
      Description program = descriptions.of(step.words);
      const int halo = json_number<int>(json.value("halo", Json(0)), path + ": halo", {0, 1 << 20});
      if (halo > 0) program = program.with_halo(halo);
      std::array<int, kMaxDims> ranks{};
      const Json given = json.value("ranks", Json::array());
      if (given.size() > ranks.size())
        throw Error(path + " holds ranks of too many axes", "give one an axis");
      for (std::size_t a = 0; a < given.size(); ++a)
        ranks[a] = json_number<int>(given[a], path + ": ranks", {0, 1 << 24});
      const Decomposition cut = cut_for(program, step.devices, constants, ranks);
      step.joining = nodes_of(constants.devices_a_node);
      step.load = workload(program, cut, constants.cuda ? Padding::gpu : Padding::cpu, step.joining);
      step.not_here = known(step.executor)
                          ? predict(step.load, step.executor, constants_, step.joining).not_here
                          : "the model knows no executor '" + step.executor + "'";
    } catch (const Json::exception& fault) {
      throw Error(fmt::format("{} holds no measured step: {}", path, fault.what()),
                  "see docs/model.md for its form");
    }
    if (!(step.seconds > 0)) throw Error(path + " holds a step that took no time", "measure it again");
    steps_.push_back(std::move(step));
  }
}

Fitted Batch::fit() {
  std::vector<Sample> samples;
  std::set<std::string> sweeps;
  for (const Step& step : steps_) {
    if (!step.not_here.empty()) continue;
    samples.push_back({[&step](const Constants& c) { return step.predicted(c); }, step.seconds});
    for (const StepLoad& each : step.load.steps)
      for (const SweepLoad& sweep : each.sweeps) sweeps.insert(sweep.name);
  }
  fitted_ = true;
  return tasuki::fit(constants_, samples, usual_knobs({sweeps.begin(), sweeps.end()}));
}

const Batch::Step* Batch::alone(const Step& step) const {
  const Step* found = nullptr;
  for (const Step& other : steps_) {
    if (other.devices != 1 || other.words != step.words || !other.not_here.empty()) continue;
    // Of the same executor, else of the simplest.
    if (!found || other.executor == step.executor ||
        (other.executor == "eager" && found->executor != step.executor))
      found = &other;
  }
  return found;
}

Table Batch::table(bool as_they_are) const {
  Table table{"on " + (constants_.name.empty() ? "an unknown GPU" : constants_.name), "", {}};
  for (const Step& step : steps_) {
    Row row;
    row.program = fmt::format("{}", fmt::join(step.words, " "));
    row.series = step.executor;
    row.devices = step.devices;
    row.measured = step.seconds;
    row.not_here = step.not_here;
    for (int a = 0; a < step.load.cut.dims; ++a) {
      row.ranks.push_back(step.load.cut.ranks[static_cast<std::size_t>(a)]);
      row.block.push_back(step.load.block.extent(a));
      row.halo = std::max({row.halo, step.load.halo[static_cast<std::size_t>(a)].lo,
                           step.load.halo[static_cast<std::size_t>(a)].hi});
    }
    row.cells = step.load.cells();
    row.sent = step.load.sent(false);
    if (row.not_here.empty()) {
      Constants c = constants_;
      const Step* one = fitted_ || as_they_are ? nullptr : alone(step);
      if (one) {
        const bool explained =
            calibrate(c, one->seconds, [&](const Constants& x) { return one->predicted(x); }).has_value();
        row.calibrates = explained && one == &step;
      }
      row.parts = predict(step.load, step.executor, c, step.joining).parts;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

} // namespace tasuki::model

#include <apps/wilson/run/run_folder.hpp>

#include <tasuki/base/on_all.hpp>
#include <tasuki/file/checkpoint.hpp>

#include <fmt/format.h>

namespace tasuki::wilson {
namespace {

std::vector<AnyField> fields_of(const Gauge& gauge) {
  std::vector<AnyField> fields;
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < kAxes; ++mu) fields.emplace_back(gauge.link(p, mu));
  return fields;
}

std::vector<AnyField> fields_of(const SpinorField& field) { return {field.parity[0], field.parity[1]}; }

} // namespace

std::string RunFolder::column(long configuration, int k) {
  return fmt::format("column-{:04}-{:02}.h5", configuration, k);
}

std::string RunFolder::propagator(long configuration, const std::string& kind) {
  return fmt::format("propagator-{:04}.{}", configuration, kind == "hdf5" ? "h5" : "lime");
}

FileInfo RunFolder::load(const std::string& name, const std::vector<AnyField>& fields) {
  on_all(world_, [&] {
    const FileInfo info = inspect(at(name));
    const auto run = info.values.find("run");
    if (run == info.values.end() || run->second != fingerprint_)
      throw Error(at(name) + " is of another run than " + job(), "put the file of this run there");
  });
  return tasuki::load(at(name), fields);
}

void RunFolder::save_gauge(const Gauge& gauge, long sweeps) {
  save(at(RunFolder::gauge()), "checkpoint", fields_of(gauge), sweeps, {{"run", fingerprint_}});
}

long RunFolder::load_gauge(const Gauge& gauge) {
  return has(RunFolder::gauge()) ? load(RunFolder::gauge(), fields_of(gauge)).step : -1;
}

void RunFolder::save_column(const SpinorField& solution, long configuration, int k) {
  save(at(column(configuration, k)), "checkpoint", fields_of(solution), configuration,
       {{"run", fingerprint_}, {"configuration", static_cast<double>(configuration)}, {"column", k}});
}

bool RunFolder::load_column(const SpinorField& solution, long configuration, int k) {
  const std::string name = column(configuration, k);
  if (!has(name)) return false;
  const FileInfo info = load(name, fields_of(solution));
  if (info.values.at("configuration") != static_cast<double>(configuration) || info.values.at("column") != k)
    throw Error(at(name) + " holds another column", "take the file away: it is computed again");
  return true;
}

} // namespace tasuki::wilson

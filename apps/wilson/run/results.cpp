#include <apps/wilson/run/results.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/number.hpp>
#include <tasuki/base/on_all.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

namespace tasuki::wilson {
namespace {

constexpr long kHistory = 1000; // the most stored residuals of a solve

const char* const kRows = "/configuration/rows";

// The columns of the file: the shape of a row. Timed ones depend on the machine.
struct Kept {
  const char* path;
  ValueType type;
  std::vector<long> shape;
  bool timed = false;
};

std::vector<Kept> kept(long slices) {
  using enum ValueType;
  return {{"/configuration/plaquette", f64, {}},
          {"/configuration/plaquette_space", f64, {}},
          {"/configuration/plaquette_time", f64, {}},
          {"/configuration/polyakov", f64, {2}},
          {"/configuration/unitarity", f64, {}},
          {"/configuration/source", i64, {kAxes}},
          {"/correlator/pion", f64, {slices}},
          {"/correlator/rho", f64, {slices}},
          {"/correlator/nucleon", f64, {slices, 2}},
          {"/correlator/nucleon_backward", f64, {slices, 2}},
          {"/solve/iterations", i64, {kColumns}},
          {"/solve/restarts", i64, {kColumns}},
          {"/solve/updates", i64, {kColumns}},
          {"/solve/converged", i64, {kColumns}},
          {"/solve/seconds", f64, {kColumns}, true},
          {"/solve/residual", f64, {kColumns}},
          {"/solve/flops", f64, {kColumns}},
          {"/solve/history_every", i64, {kColumns}},
          {"/solve/history", f64, {kColumns, kHistory}}};
}

long numbers(const Kept& column) {
  return std::accumulate(column.shape.begin(), column.shape.end(), 1L, std::multiplies<>());
}

std::vector<double> pairs(const std::vector<std::complex<double>>& values) {
  std::vector<double> flat;
  for (const std::complex<double>& z : values) flat.insert(flat.end(), {z.real(), z.imag()});
  return flat;
}

} // namespace

RowLayout results_layout(const Options& o, const std::vector<std::string>& names, const Machine& machine) {
  const std::array<long, kAxes> n = o.extents();
  const std::array<double, kAxes> thetas = o.thetas();
  Action action;
  action.kappa = o.kappa;
  action.anisotropy = o.anisotropy;
  action.nu = o.nu;
  RowLayout layout;
  auto& root = layout.attributes["/"];
  root = {{"format", std::string("tasuki-wilson")},
          {"version", 1L},
          {"extents", std::vector<long>(n.begin(), n.end())},
          {"seed", o.seed},
          {"kappa", o.kappa},
          {"mass", action.mass()},
          {"phases", std::vector<double>(thetas.begin(), thetas.end())},
          {"norm", o.norm},
          {"anisotropy", o.anisotropy},
          {"nu", o.nu},
          {"source", o.source_file.empty() ? o.source : std::string("file")},
          {"sink", std::string("point")},
          {"method", o.method},
          {"precision", std::string("double")},
          {"inner", o.inner},
          {"links", parse_number<long>(o.links, "--links")},
          {"tolerance", o.tolerance},
          {"ranks", machine.ranks},
          {"device", machine.device},
          {"program", machine.version}};
  if (o.source == "gaussian" && o.source_file.empty()) {
    root["source_width"] = o.source_width;
    root["source_steps"] = o.source_steps;
  }
  if (!o.source_file.empty()) root["source_file"] = o.source_file;
  if (!o.propagator_file.empty()) root["propagator_file"] = o.propagator_file;
  if (o.generates()) root["start"] = o.start;
  if (o.generates() && o.start == "heatbath") {
    root["beta"] = o.beta;
    root["sweeps"] = o.sweeps;
    root["separation"] = o.separation;
    root["over_relaxations"] = o.over_relaxations;
  }
  layout.attributes["/configuration"] = {{"name", names}};
  layout.columns = {{kRows, ValueType::i64}};
  for (const Kept& column : kept(n[3]))
    layout.columns.push_back({column.path, column.type, o.count(), column.shape});
  return layout;
}

std::map<std::string, Attribute> propagator_attributes(const Options& o, const RowLayout& layout) {
  const auto& root = layout.attributes.at("/");
  const auto at = o.source_site();
  std::map<std::string, Attribute> found = {
      {"at", std::vector<long>(at.begin(), at.end())},
      {"inverse_of", std::string(o.norm == "mass" ? "(1 - kappa H) / (2 kappa)" : "1 - kappa H")}};
  for (const char* key : {"kappa", "mass", "norm", "phases", "anisotropy", "nu", "source", "source_width",
                          "source_steps", "source_file"})
    if (const auto held = root.find(key); held != root.end()) found.insert(*held);
  return found;
}

Results::Results(World& world, const std::string& path, const RowLayout& layout, long slices)
    : world_(world), slices_(slices) {
  std::int64_t rows = 0;
  on_root(world, [&] {
    file_.emplace(path, layout.columns);
    file_->read(kRows, 0, &rows);
  });
  rows_ = of_root(world, static_cast<long>(rows));
}

void Results::add(long c, int k, const SolveReport& report) {
  const auto at = static_cast<std::size_t>(k);
  on_root(world_, [&] {
    // A row has values of all twelve columns; the others are kept.
    const auto put = [&](const char* path, auto value) {
      decltype(value) row[kColumns];
      file_->peek(path, c, row);
      row[at] = value;
      file_->write(path, c, row);
    };
    const auto seen = static_cast<long>(report.history.size());
    const long every = std::max(1L, (seen + kHistory - 1) / kHistory);
    std::vector<double> history(kColumns * kHistory, std::numeric_limits<double>::quiet_NaN());
    std::int64_t written[kColumns]; // 0 for columns without a history
    file_->peek("/solve/history_every", c, written);
    if (std::any_of(written, written + kColumns, [](std::int64_t n) { return n > 0; }))
      file_->peek("/solve/history", c, history.data());
    double* const mine = &history[at * kHistory];
    std::fill_n(mine, kHistory, std::numeric_limits<double>::quiet_NaN());
    for (long i = 0; i < seen; i += every) mine[i / every] = report.history[static_cast<std::size_t>(i)];
    file_->write("/solve/history", c, history.data());
    put("/solve/history_every", std::int64_t{every});
    put("/solve/iterations", static_cast<std::int64_t>(report.iterations));
    put("/solve/restarts", static_cast<std::int64_t>(report.restarts));
    put("/solve/updates", static_cast<std::int64_t>(report.updates));
    put("/solve/converged", static_cast<std::int64_t>(report.converged));
    put("/solve/seconds", report.seconds);
    put("/solve/residual", report.residual);
    put("/solve/flops", report.flops);
    file_->sync();
  });
}

void Results::finish(long c, const Measured& m, const std::array<long, kAxes>& source,
                     const Correlators& correlators) {
  on_root(world_, [&] {
    const double polyakov[] = {m.polyakov.real(), m.polyakov.imag()};
    const std::array<std::int64_t, kAxes> at = {source[0], source[1], source[2], source[3]};
    file_->write("/configuration/plaquette", c, &m.plaquette.all);
    file_->write("/configuration/plaquette_space", c, &m.plaquette.space);
    file_->write("/configuration/plaquette_time", c, &m.plaquette.time);
    file_->write("/configuration/polyakov", c, polyakov);
    file_->write("/configuration/unitarity", c, &m.unitarity);
    file_->write("/configuration/source", c, at.data());
    file_->write("/correlator/pion", c, correlators.pion.data());
    file_->write("/correlator/rho", c, correlators.rho.data());
    file_->write("/correlator/nucleon", c, pairs(correlators.nucleon).data());
    file_->write("/correlator/nucleon_backward", c, pairs(correlators.nucleon_backward).data());
    const std::int64_t rows = c + 1;
    file_->write_last(kRows, 0, &rows);
  });
  rows_ = c + 1;
}

std::vector<double> Results::column(const char* name, long numbers_a_row) const {
  std::vector<double> values(static_cast<std::size_t>(rows_ * numbers_a_row));
  if (rows_ > 0) file_->read(name, 0, values.data(), rows_);
  return values;
}

std::uint64_t Results::checksum() const {
  std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a, by words
  on_root(world_, [&] {
    for (const Kept& column : kept(slices_)) {
      if (column.timed) continue;
      for (const double value : Results::column(column.path, numbers(column))) {
        std::uint64_t word;
        std::memcpy(&word, &value, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
      }
    }
  });
  return static_cast<std::uint64_t>(of_root(world_, static_cast<long>(hash)));
}

double Results::plaquette() const {
  double mean = 0;
  on_root(world_, [&] {
    const std::vector<double> all = column("/configuration/plaquette", 1);
    mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(std::max(1L, rows_));
  });
  return of_root(world_, mean);
}

double Results::flops() const {
  double sum = 0;
  on_root(world_, [&] {
    for (const double flops : column("/solve/flops", kColumns)) sum += flops;
  });
  return of_root(world_, sum);
}

long Results::unconverged() const {
  long count = 0;
  on_root(world_, [&] {
    std::vector<std::int64_t> all(static_cast<std::size_t>(rows_ * kColumns));
    if (rows_ > 0) file_->read("/solve/converged", 0, all.data(), rows_);
    count = std::count(all.begin(), all.end(), 0);
  });
  return of_root(world_, count);
}

double Results::worst_residual() const {
  double worst = 0;
  on_root(world_, [&] {
    for (const double residual : column("/solve/residual", kColumns))
      if (!(residual <= worst)) worst = residual; // also for NaN
  });
  return of_root(world_, worst);
}

std::vector<double> Results::pion() const {
  std::vector<double> mean(static_cast<std::size_t>(slices_));
  on_root(world_, [&] {
    const std::vector<double> all = column("/correlator/pion", slices_);
    for (std::size_t k = 0; k < all.size(); ++k) mean[k % mean.size()] += all[k] / static_cast<double>(rows_);
  });
  return mean;
}

} // namespace tasuki::wilson

#include <apps/argon/run/results.hpp>

#include <apps/argon/exchange/dealt.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/on_all.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::argon {
namespace {

using Numbers = std::vector<double>;

const char* const kPotential = "/exchange/potential_kJ_mol";
const char* const kKinetic = "/exchange/kinetic_kJ_mol";
const char* const kVirial = "/exchange/virial_kJ_mol";
const char* const kVolume = "/exchange/volume_nm3";

std::vector<Column> columns_of(long replicas, long pairs, long rows, bool constant_pressure) {
  using enum ValueType;
  std::vector<Column> columns = {{"/exchange/rows", i64},
                                 {"/exchange/trials", i64, 2},
                                 {"/exchange/attempted", i64, pairs},
                                 {"/exchange/accepted", i64, pairs},
                                 {"/exchange/probability", f64, pairs},
                                 {"/exchange/step", i64, rows},
                                 {"/exchange/state", i32, rows, {replicas}},
                                 {kPotential, f64, rows, {replicas}},
                                 {kKinetic, f64, rows, {replicas}},
                                 {kVirial, f64, rows, {replicas}}};
  if (constant_pressure) columns.push_back({kVolume, f64, rows, {replicas}});
  return columns;
}

} // namespace

RowLayout results_layout(const Options& o, const System& system, const Exchange& exchange,
                         const Machine& machine, long rows) {
  const Ladder& ladder = exchange.ladder();
  const long states = ladder.states(), pairs = static_cast<long>(exchange.pairs().size());
  RowLayout layout;
  layout.attributes["/"] = {{"format", std::string("tasuki-argon")},
                            {"version", 1L},
                            {"seed", o.seed},
                            {"atoms", o.atoms},
                            {"replicas", o.replicas},
                            {"density_g_cm3", o.density},
                            {"box_nm", system.box_nm()},
                            {"epsilon_kJ_mol", o.epsilon},
                            {"sigma_nm", o.sigma},
                            {"mass_g_mol", o.mass},
                            {"cutoff_nm", system.cutoff_nm()},
                            {"correction", o.correction},
                            {"timestep_ps", o.dynamics().timestep_ps},
                            {"steps_per_exchange", o.exchange_every},
                            {"thermostat", o.thermostat},
                            {"friction_per_ps", o.friction},
                            {"coupling_ps", o.coupling},
                            {"mixing", o.mixing},
                            {"degrees_of_freedom", o.dynamics().degrees(o.atoms)},
                            {"start", o.start},
                            {"ranks", machine.ranks},
                            {"device", machine.device},
                            {"program", machine.version}};
  layout.attributes["/ladder"] = {
      {"shape", std::vector<long>{static_cast<long>(ladder.temperatures.size()), ladder.width()}}};
  Numbers temperatures, pressures;
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(states)), pair_states;
  for (int s = 0; s < ladder.states(); ++s) {
    numbers[static_cast<std::size_t>(s)] = dealt_state(s, ladder.states());
    temperatures.push_back(ladder.temperature(s));
    pressures.push_back(ladder.pressure(s));
  }
  for (const StatePair& pair : exchange.pairs()) pair_states.insert(pair_states.end(), {pair.low, pair.high});
  const bool constant_pressure = !ladder.pressures.empty();
  layout.constants = {{"/ladder/temperature_K", {states}, temperatures},
                      {"/exchange/start_state", {states}, numbers},
                      {"/exchange/pair", {pairs, 2}, pair_states},
                      {"/tail/energy_kJ_mol", {1}, Numbers{system.tail_energy()}},
                      {"/tail/pressure_bar", {1}, Numbers{system.tail_pressure()}}};
  if (constant_pressure) layout.constants.push_back({"/ladder/pressure_bar", {states}, pressures});
  layout.columns = columns_of(states, pairs, rows, constant_pressure);
  return layout;
}

Results::Results(World& world, const std::string& path, const RowLayout& layout, long row,
                 bool constant_pressure)
    : world_(world), constant_pressure_(constant_pressure), row_(row) {
  on_root(world, [&] {
    file_.emplace(path, layout.columns);
    const std::int64_t rows = row;
    file_->write("/exchange/rows", 0, &rows);
  });
}

void Results::add(long step, const std::vector<int>& state, const Numbers& potential, const Numbers& volume,
                  const std::vector<Measured>& mine) {
  steps_.push_back(step);
  for (const Measured& m : mine) mine_.push_back(m.kinetic);
  for (const Measured& m : mine) mine_.push_back(m.virial);
  if (world_.rank() != 0) return;
  states_.insert(states_.end(), state.begin(), state.end());
  potential_.insert(potential_.end(), potential.begin(), potential.end());
  volume_.insert(volume_.end(), volume.begin(), volume.end());
}

void Results::flush(const Exchange& exchange, bool synced) {
  const auto count = static_cast<long>(steps_.size());
  const auto replicas = static_cast<std::size_t>(exchange.replicas());
  std::vector<char> bytes(mine_.size() * sizeof(double));
  std::memcpy(bytes.data(), mine_.data(), bytes.size());
  const std::vector<std::vector<char>> pieces = gather_on_root(world_, bytes);
  on_root(world_, [&] {
    // A piece has the kinetic energies and virials of a rank's replicas, row after row; the file has a column for each.
    Numbers kinetic(replicas * steps_.size()), virial(kinetic.size());
    std::size_t first = 0;
    for (const std::vector<char>& piece : pieces) {
      if (count == 0) break;
      const std::size_t owned = piece.size() / sizeof(double) / 2 / steps_.size();
      for (std::size_t row = 0; row < steps_.size(); ++row) {
        const char* from = piece.data() + row * 2 * owned * sizeof(double);
        std::memcpy(&kinetic[row * replicas + first], from, owned * sizeof(double));
        std::memcpy(&virial[row * replicas + first], from + owned * sizeof(double), owned * sizeof(double));
      }
      first += owned;
    }
    std::vector<std::int64_t> steps(steps_.begin(), steps_.end()), attempted, accepted;
    Numbers probability;
    for (const Tally& tally : exchange.now().tallies) {
      attempted.push_back(tally.attempted);
      accepted.push_back(tally.accepted);
      probability.push_back(tally.attempted ? tally.probability / static_cast<double>(tally.attempted) : 0);
    }
    const std::int64_t trials[2] = {exchange.now().trials, exchange.now().accepted};
    const auto pairs = static_cast<long>(attempted.size());
    file_->write("/exchange/step", row_, steps.data(), count);
    file_->write("/exchange/state", row_, states_.data(), count);
    file_->write(kPotential, row_, potential_.data(), count);
    file_->write(kKinetic, row_, kinetic.data(), count);
    file_->write(kVirial, row_, virial.data(), count);
    if (constant_pressure_) file_->write(kVolume, row_, volume_.data(), count);
    file_->write("/exchange/trials", 0, trials, 2);
    file_->write("/exchange/attempted", 0, attempted.data(), pairs);
    file_->write("/exchange/accepted", 0, accepted.data(), pairs);
    file_->write("/exchange/probability", 0, probability.data(), pairs);
    const std::int64_t rows = row_ + count;
    if (synced)
      file_->write_last("/exchange/rows", 0, &rows);
    else
      file_->write("/exchange/rows", 0, &rows); // last, so that all rows before it are complete
  });
  row_ += count;
  steps_.clear();
  states_.clear();
  potential_.clear();
  volume_.clear();
  mine_.clear();
}

} // namespace tasuki::argon

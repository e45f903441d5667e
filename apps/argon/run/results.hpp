// results.h5: what every exchange saw and did, a row each, in the order of the replicas.
//
//   /                      attributes: what was simulated, and how
//   /ladder                temperature_K [S], pressure_bar [S] (constant pressure); attribute shape [nT, nP]
//   /exchange/rows         [1] how many rows are there by now
//   /exchange/step         [T]
//   /exchange/state        [T, R] held by each replica after the decision
//   /exchange/potential_kJ_mol, kinetic_kJ_mol, virial_kJ_mol, volume_nm3 (constant pressure)  [T, R] before it
//   /exchange/pair         [P, 2] neighbouring states; attempted, accepted [P] trials so far, probability [P] their mean
//   /exchange/start_state  [R] before the first decision; trials [2]: of all pairs, and accepted
//   /tail                  energy_kJ_mol, pressure_bar [1]: of the cut-off's correction at the start's volume; not
//                          included in the potential
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/run/options.hpp>
#include <tasuki/file/row_file.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

// What the attributes tell of the machine.
struct Machine {
  long ranks = 1;
  std::string device, version;
};

RowLayout results_layout(const Options& options, const System& system, const Exchange& exchange,
                         const Machine& machine, long rows);

// The energies of all replicas at the end of an interval; volume is empty at constant volume.
struct Energies {
  std::vector<double> potential, kinetic, virial, volume;
};

// Rank 0 writes; the kinetic energies and virials of the others come in bursts, when it does.
class Results {
public:
  // Of a file that results_layout() describes, from row `row` on; those behind it are forgotten. Collective.
  Results(World& world, const std::string& path, const RowLayout& layout, long row, bool constant_pressure);

  // Keeps a row: on every rank the states after the decision and all potentials and volumes, and what this rank
  // measured. Local.
  void add(long step, const std::vector<int>& state, const std::vector<double>& potential,
           const std::vector<double>& volume, const std::vector<Measured>& mine);
  std::size_t waiting() const { return steps_.size(); } // rows that are kept in memory

  // Writes what waits; synced: and returns when it is on the disk. Collective.
  void flush(const Exchange& exchange, bool synced);

private:
  World& world_;
  bool constant_pressure_;
  long row_;
  std::optional<RowFile> file_; // rank 0 has it
  std::vector<long> steps_;
  std::vector<int> states_;
  std::vector<double> potential_, volume_; // rank 0 keeps them
  std::vector<double> mine_; // kinetic and virial of this rank's replicas, rows one after another
};

} // namespace tasuki::argon

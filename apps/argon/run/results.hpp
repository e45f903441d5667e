// results.h5: the data of every exchange, one row each, in the order of the replicas.
//
//   /                      attributes: the parameters of the simulation
//   /ladder                temperature_K [S], pressure_bar [S] (constant pressure); attribute shape [nT, nP]
//   /exchange/rows         [1] the present number of rows
//   /exchange/step         [T]
//   /exchange/state        [T, R] held by each replica after the decision
//   /exchange/potential_kJ_mol, kinetic_kJ_mol, virial_kJ_mol, volume_nm3 (constant pressure)  [T, R] before it
//   /exchange/pair         [P, 2] neighbouring states; attempted, accepted [P] trials so far, probability [P] their mean
//   /exchange/start_state  [R] before the first decision; trials [2]: of all pairs, and accepted
//   /tail                  energy_kJ_mol, pressure_bar [1]: the cut-off correction at the initial volume; not
//                          included in the potential
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/run/options.hpp>
#include <tasuki/file/row_file.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

// The attributes that describe the machine.
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

// Rank 0 writes the file; kinetic energies and virials of other ranks are sent at each flush.
class Results {
public:
  // Opens a file with the layout of results_layout() and continues at row `row`; overwrites later rows. Collective.
  Results(World& world, const std::string& path, const RowLayout& layout, long row, bool constant_pressure);

  // Stores a row in memory: on every rank the states after the decision and all potentials and volumes, and the values
  // that this rank measured. Local.
  void add(long step, const std::vector<int>& state, const std::vector<double>& potential,
           const std::vector<double>& volume, const std::vector<Measured>& mine);
  std::size_t waiting() const { return steps_.size(); } // rows that are kept in memory

  // Writes the stored rows; with `synced`, returns when they are on the disk. Collective.
  void flush(const Exchange& exchange, bool synced);

private:
  World& world_;
  bool constant_pressure_;
  long row_;
  std::optional<RowFile> file_; // on rank 0 only
  std::vector<long> steps_;
  std::vector<int> states_;
  std::vector<double> potential_, volume_; // on rank 0 only
  std::vector<double> mine_; // kinetic energies and virials of this rank's replicas, row after row
};

} // namespace tasuki::argon

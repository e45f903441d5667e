// results.h5: the measurements of each configuration, one row each, C of them.
//
//   /                  attributes: the parameters of the computation
//   /configuration     attribute name: of each configuration
//     rows [1]         number of finished configurations; later rows are empty
//     plaquette, plaquette_space, plaquette_time, unitarity [C]; polyakov [C, 2] real and imaginary part
//     source [C, 4]    x, y, z, t: correlators begin there
//   /correlator        pion, rho [C, T]; nucleon, nucleon_backward [C, T, 2] real and imaginary part; see contract.hpp
//   /solve             iterations, restarts, updates (residuals recomputed), converged, seconds, residual,
//                      flops [C, 12], one per column of the propagator
//     history          [C, 12, H] residuals by the recurrence; NaN after the last
//     history_every    [C, 12] iterations between two of them
#pragma once

#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/quark/contract.hpp>
#include <apps/wilson/run/options.hpp>
#include <apps/wilson/run/run_folder.hpp>
#include <apps/wilson/solver/solver.hpp>
#include <tasuki/file/row_file.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::wilson {

// The attributes that describe the machine.
struct Machine {
  long ranks = 1;
  std::string device, version;
};

RowLayout results_layout(const Options& options, const std::vector<std::string>& names,
                         const Machine& machine);

// The attributes of a propagator's file that describe its solve, with the names of results.h5; without those that
// depend on the machine.
std::map<std::string, Attribute> propagator_attributes(const Options& options, const RowLayout& layout);

// Measurements on a configuration before its propagator.
struct Measured {
  Plaquette plaquette;
  std::complex<double> polyakov;
  double unitarity = 0;
};

// Rank 0 writes and reads; the others receive the data. All members are collective.
class Results {
public:
  // Opens a file with the layout of results_layout().
  Results(World& world, const std::string& path, const RowLayout& layout, long slices);

  long rows() const { return rows_; } // number of finished configurations
  // Adds the report of a column whose solution is not stored yet. It is on the disk on return.
  void add(long configuration, int column, const SolveReport& report);
  void finish(long configuration, const Measured& measured, const std::array<long, kAxes>& source,
              const Correlators& correlators);

  // Of all finished configurations, on every rank: of all numbers except seconds.
  std::uint64_t checksum() const;
  double plaquette() const;         // mean
  double flops() const;             // of all solves
  long unconverged() const;         // number of columns
  double worst_residual() const;    // of all columns
  std::vector<double> pion() const; // mean by time slice

private:
  std::vector<double> column(const char* name, long numbers_a_row) const;

  World& world_;
  long slices_, rows_ = 0;
  std::optional<RowFile> file_; // on rank 0 only
};

} // namespace tasuki::wilson

// results.h5: what was measured on each configuration, a row each, C of them.
//
//   /                  attributes: what was computed, and how
//   /configuration     attribute name: of each configuration
//     rows [1]         how many of them are done; rows beyond hold nothing yet
//     plaquette, plaquette_space, plaquette_time, unitarity [C]; polyakov [C, 2] real and imaginary part
//     source [C, 4]    x, y, z, t: correlators begin there
//   /correlator        pion, rho [C, T]; nucleon, nucleon_backward [C, T, 2] real and imaginary part; see contract.hpp
//   /solve             iterations, restarts, updates (residuals worked out anew), converged, seconds, residual,
//                      flops [C, 12], a column of the propagator each
//     history          [C, 12, H] residuals as the solver saw them; NaN beyond the last
//     history_every    [C, 12] iterations from one to the next
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

// What the attributes tell of the machine.
struct Machine {
  long ranks = 1;
  std::string device, version;
};

RowLayout results_layout(const Options& options, const std::vector<std::string>& names,
                         const Machine& machine);

// What a propagator's file says of how it was solved for, in the words of results.h5: nothing that changes with the
// machine.
std::map<std::string, Attribute> propagator_attributes(const Options& options, const RowLayout& layout);

// What is known of a configuration before its propagator.
struct Measured {
  Plaquette plaquette;
  std::complex<double> polyakov;
  double unitarity = 0;
};

// Rank 0 writes and reads; the others follow. Collective, all of it.
class Results {
public:
  // Of a file that results_layout() describes.
  Results(World& world, const std::string& path, const RowLayout& layout, long slices);

  long rows() const { return rows_; } // configurations that are done
  // Of a column whose solution is not kept yet. It is on the disk on return.
  void add(long configuration, int column, const SolveReport& report);
  void finish(long configuration, const Measured& measured, const std::array<long, kAxes>& source,
              const Correlators& correlators);

  // Of all that is done, on every rank: of all numbers but for seconds.
  std::uint64_t checksum() const;
  double plaquette() const;         // mean
  double flops() const;             // of all solves
  long unconverged() const;         // columns
  double worst_residual() const;    // of all columns
  std::vector<double> pion() const; // mean by time slice

private:
  std::vector<double> column(const char* name, long numbers_a_row) const;

  World& world_;
  long slices_, rows_ = 0;
  std::optional<RowFile> file_; // rank 0 has it
};

} // namespace tasuki::wilson

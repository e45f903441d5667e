// The folder of a run: its options, its state and its results.
//
//   job.json             its options
//   results.h5           one row per configuration; see results.hpp
//   gauge.h5             the present gauge field, if it is generated, and the number of its sweep
//   column-<c>-<k>.h5    solution k of configuration c, until all twelve and the correlators are stored
//   propagator-<c>.lime  with --propagators lime; .h5: with hdf5
//   record.json          the result record, at the end
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>
#include <tasuki/job/run_folder.hpp>

#include <string>

namespace tasuki::wilson {

inline constexpr int kColumns = kSpins * kColours; // of a propagator: spin * 3 + colour of the source

class RunFolder : public job::RunFolder {
public:
  // `fingerprint` is that of the run: files of other runs are refused. All members are collective.
  RunFolder(World& world, const std::string& path, bool resume)
      : job::RunFolder(world, "wilson", path, "results.h5", resume) {}
  void belong_to(double fingerprint) { fingerprint_ = fingerprint; }

  static const char* gauge() { return "gauge.h5"; }
  static std::string column(long configuration, int k);
  static std::string propagator(long configuration, const std::string& kind); // lime or hdf5

  void save_gauge(const Gauge& gauge, long sweeps);
  // The number of finished sweeps; -1 if there is no such file.
  long load_gauge(const Gauge& gauge);

  void save_column(const SpinorField& solution, long configuration, int k);
  // False if there is no such file.
  bool load_column(const SpinorField& solution, long configuration, int k);

private:
  FileInfo load(const std::string& name, const std::vector<AnyField>& fields);

  double fingerprint_ = 0;
};

} // namespace tasuki::wilson

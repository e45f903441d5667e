// Where a run keeps what it is, where it stands and what it found.
//
//   job.json             its options
//   results.h5           a row a configuration; see results.hpp
//   gauge.h5             the gauge field that was reached, where it is generated, and by which sweep
//   column-<c>-<k>.h5    solution k of configuration c, until all twelve are there and the correlators are kept
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
  // `fingerprint` is the run's: files of other runs are refused. Collective, all of it.
  RunFolder(World& world, const std::string& path, bool resume)
      : job::RunFolder(world, "wilson", path, "results.h5", resume) {}
  void belong_to(double fingerprint) { fingerprint_ = fingerprint; }

  static const char* gauge() { return "gauge.h5"; }
  static std::string column(long configuration, int k);
  static std::string propagator(long configuration, const std::string& kind); // lime or hdf5

  void save_gauge(const Gauge& gauge, long sweeps);
  // The number of sweeps that are done; -1 where there is no such file.
  long load_gauge(const Gauge& gauge);

  void save_column(const SpinorField& solution, long configuration, int k);
  // False where there is no such file.
  bool load_column(const SpinorField& solution, long configuration, int k);

private:
  FileInfo load(const std::string& name, const std::vector<FieldCore*>& fields);

  double fingerprint_ = 0;
};

} // namespace tasuki::wilson

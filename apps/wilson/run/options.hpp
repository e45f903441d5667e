// The options of a run.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <tasuki/base/options.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::wilson {

struct Options {
  // Fixed for the whole run: stored in its folder, from which --resume reads them.
  std::string lattice = "8x8x8x16"; // x, y, z, t
  std::vector<std::string> gauge;   // files; none: generated
  std::string start = "heatbath";
  double beta = 6;
  long sweeps = 60, separation = 20, over_relaxations = 1;
  long configurations = 4;
  double width = 0.2; // of the weak field
  long seed = 1;
  std::string unitarity; // the allowed deviation of links from SU(3) in files; empty: that of their format

  double kappa = 0.15;
  std::string phases = "0,0,0,1"; // theta by axis: psi(x + L) = exp(i pi theta) psi(x)
  std::string norm = "kappa";
  double anisotropy = 1, nu = 1;

  std::string source = "gaussian", at = "0,0,0,0";
  double source_width = 3;
  long source_steps = 20;
  std::string source_file, propagator_file; // replace a generated source, and a solve

  std::string method = "bicgstab", inner = "single", links = "18";
  double tolerance = 1e-9;
  long most_iterations = 5000;

  std::string write_gauge, propagators = "none";

  // For this part of the run only.
  std::string folder;
  bool resume = false, dry_run = false;
  std::optional<double> mass; // replaces kappa
  long columns = 0;           // of a propagator, solved at once; 0: as many as the memory allows
  double checkpoint_minutes = 5;
  std::string record;

  bool generates() const { return gauge.empty(); }
  long count() const { return generates() ? configurations : static_cast<long>(gauge.size()); }
  // The number of sweeps before configuration c, from the start.
  long sweeps_before(long c) const { return start == "heatbath" ? sweeps + c * separation : 0; }
  std::array<long, kAxes> extents() const;     // of --lattice
  std::array<double, kAxes> thetas() const;    // of --phases
  std::array<long, kAxes> source_site() const; // of --at
  // Applies options that determine others: --mass sets kappa, file names become absolute, and the first file sets the
  // lattice if --lattice is not given. Throws Error. Local.
  void settle(bool lattice_given);
  // Throws Error if options contradict each other.
  void check() const;
};

// The options as --name value, with the help texts of the program.
void add_options(OptionParser& line, Options& options);

// The job.json of a folder, the options that a resumed run takes from it, and the run's fingerprint in other files.
std::string job_text(Options options);
void take_options(const std::string& job, const OptionParser& line, Options& options); // throws Error
double fingerprint(Options options);

// "3 1 0 2" or "3,1,0,2": a number per axis. Throws Error that contains `option`.
template <class Number>
std::array<Number, kAxes> by_axis(const std::string& text, const char* option);

// The file name of one of several configurations: "cfg.lime" becomes "cfg.0003.lime".
std::string numbered(const std::string& path, long configuration, long configurations);

} // namespace tasuki::wilson

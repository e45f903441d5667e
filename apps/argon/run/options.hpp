// The options of a run.
#pragma once

#include <apps/argon/exchange/exchange.hpp>
#include <apps/argon/exchange/ladder.hpp>
#include <apps/argon/physics/dynamics.hpp>
#include <apps/argon/physics/system.hpp>
#include <tasuki/base/options.hpp>

#include <string>
#include <vector>

namespace tasuki::argon {

struct Options {
  // Fixed for the whole run: stored in its folder, from which --resume reads them.
  double epsilon = Substance{}.epsilon, sigma = Substance{}.sigma, mass = Substance{}.mass;
  long atoms = 108;
  double density = 1.65;
  double cutoff = 0; // sigma; 0: 3, or half of the box's edge if that is less
  std::string correction = "cut", start = "fcc";
  double dt = 4; // fs
  std::string thermostat = "langevin";
  double friction = 1, coupling = 0.2;
  long barostat_every = 25;
  long replicas = 16;
  double tmin = 80, tmax = 160;
  std::string ladder = "geometric", temperatures, pressures;
  std::string mixing = "neighbours";
  long gibbs_trials = 0;
  long exchange_every = 100;
  long seed = 1;
  std::string trajectory = "none";
  long trajectory_every = 1000;

  // For this part of the run only.
  long steps = 20000; // number of the last step
  std::string folder;
  bool resume = false, dry_run = false;
  long checkpoint_every = 0; // steps; 0: by time only
  double checkpoint_minutes = 5;
  double verify = 0; // fraction of the intervals that are computed twice
  std::string on_nan = "stop";
  std::string record;

  long intervals() const { return steps / exchange_every; }
  SystemOptions system() const;
  Dynamics dynamics() const;
  Mixing mixing_kind() const { return mixing == "gibbs" ? Mixing::gibbs : Mixing::neighbours; }
  Start start_kind() const;
  // The requested ladder; an `even` ladder is geometric at first. Throws Error if there is no ladder, or if the numbers
  // of states and replicas differ.
  Ladder make_ladder() const;
  // Throws Error if options contradict each other.
  void check() const;
};

// The options as --name value, with the help texts of the program.
void add_options(OptionParser& line, Options& options);

// If temperatures or pressures are given as lists and --replicas is not, the number of replicas is that of the states.
void fit_replicas(const OptionParser& line, Options& options);

// The fixed options and the ladder as JSON; they identify a run.
std::string to_json(const Options& options, const Ladder& ladder);
// The same with the options of the latest part of the run: the job.json of its folder.
std::string job_json(const Options& options, const Ladder& ladder);
// Sets options from job.json. Fixed ones of the command line must not differ; the others take precedence. Throws Error.
void take_options(const std::string& json, const OptionParser& line, Options& options);
Ladder ladder_of(const std::string& json);

} // namespace tasuki::argon

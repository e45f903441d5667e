// What a user asks of a run.
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
  // Fixed for the whole of a run: a folder keeps them, and --resume takes them from there.
  double epsilon = Substance{}.epsilon, sigma = Substance{}.sigma, mass = Substance{}.mass;
  long atoms = 108;
  double density = 1.65;
  double cutoff = 0; // sigma; 0: 3, or half of the box's edge where that is less
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

  // Of this part of it.
  long steps = 20000; // the last one's number
  std::string folder;
  bool resume = false, dry_run = false;
  long checkpoint_every = 0; // steps; 0: by the clock alone
  double checkpoint_minutes = 5;
  double verify = 0; // share of the intervals that are done twice
  std::string on_nan = "stop";
  std::string record;

  long intervals() const { return steps / exchange_every; }
  SystemOptions system() const;
  Dynamics dynamics() const;
  Mixing mixing_kind() const { return mixing == "gibbs" ? Mixing::gibbs : Mixing::neighbours; }
  Start start_kind() const;
  // As asked for; an `even` ladder before it is re-spaced is geometric. Throws Error: no ladder, or not as many
  // states as replicas.
  Ladder make_ladder() const;
  // Throws Error where options do not go together.
  void check() const;
};

// The options as --name value, with the program's own text.
void add_options(OptionParser& line, Options& options);

// Where a list of temperatures or pressures is given and --replicas is not: as many as they make states.
void fit_replicas(const OptionParser& line, Options& options);

// The fixed options and the ladder as JSON: what a run is.
std::string to_json(const Options& options, const Ladder& ladder);
// The same with the options of the run's last part: job.json of a folder.
std::string job_json(const Options& options, const Ladder& ladder);
// The options as that has them: fixed ones that the command line gave too must not differ, others go before. Throws Error.
void take_options(const std::string& json, const OptionParser& line, Options& options);
Ladder ladder_of(const std::string& json);

} // namespace tasuki::argon

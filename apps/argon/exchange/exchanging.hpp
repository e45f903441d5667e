// Replicas that exchange states, interval after interval: what a run is made of, and the short run that spaces a ladder.
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/exchange/exchange.hpp>
#include <apps/argon/run/options.hpp>
#include <tasuki/base/gather.hpp>

#include <vector>

namespace tasuki::argon {

class Exchanging {
public:
  Exchanging(World& world, const Options& options, const System& system, const Ladder& ladder);

  // An interval: advance() enqueues it, measure() waits for it, gather() makes the energies and flags of all ranks known
  // (`flag` is this rank's), decide() exchanges.
  void advance();
  void measure() { mine = replicas.measured(); }
  void gather(int flag);
  void decide();

  Replicas replicas;
  Exchange exchange;
  // Of all replicas; total: with what the tail adds, which decides. (At constant volume that is the same for all.)
  std::vector<double> potential, volume, total;
  std::vector<Measured> mine;
  std::vector<int> held; // states before the last decision
  std::vector<Conditions> conditions;
  std::vector<float> factors;
  long interval = 0; // that many are done
  int flags = 0;     // of all ranks, or'ed

  void set_conditions(); // of the states now, velocities by the states held before

private:
  Options options_;
  std::vector<Conditions> states_; // what each state is held at
  Gather gather_;
  double tail_; // kJ/mol nm^3: over the volume it is what the tail adds
};

// A ladder of as many temperatures with even acceptance, from two short runs that begin with the one given. Throws
// Error where a signal ends them. Collective.
Ladder even_ladder(World& world, const Options& options, const System& system, const Ladder& ladder);

} // namespace tasuki::argon

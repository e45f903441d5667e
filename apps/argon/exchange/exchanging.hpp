// Replicas that exchange states after each interval: used by a run, and by the short run that spaces a ladder.
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

  // An interval: advance() enqueues it, measure() waits for it, gather() collects the energies and flags of all ranks
  // (`flag` is that of this rank), decide() exchanges.
  void advance();
  void measure() { mine = replicas.measured(); }
  void gather(int flag);
  void decide();

  Replicas replicas;
  Exchange exchange;
  // Of all replicas. total: with the tail correction, used for decisions (at constant volume the tail is a constant).
  std::vector<double> potential, volume, total;
  std::vector<Measured> mine;
  std::vector<int> held; // states before the last decision
  std::vector<Conditions> conditions;
  std::vector<float> factors;
  long interval = 0; // number of finished intervals
  int flags = 0;     // of all ranks, or'ed

  void set_conditions(); // those of the present states; velocity factors from the states held before

private:
  Options options_;
  std::vector<Conditions> states_; // the conditions of each state
  Gather gather_;
  double tail_; // kJ/mol nm^3: divided by the volume it is the tail correction
};

// A ladder with the same number of temperatures and even acceptance, from two short runs that begin with the given one.
// Throws Error if a signal ends them. Collective.
Ladder even_ladder(World& world, const Options& options, const System& system, const Ladder& ladder);

} // namespace tasuki::argon

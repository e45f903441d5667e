// The assignment of states to replicas: an exchange swaps the states (labels), and coordinates stay in place.
//
// Sugita, Okamoto, Chem. Phys. Lett. 314, 141 (1999); with pressure Okabe et al., Chem. Phys. Lett. 335, 435 (2001);
// independent trials over all pairs Chodera, Shirts, J. Chem. Phys. 135, 194110 (2011).
#pragma once

#include <apps/argon/exchange/ladder.hpp>

#include <cstdint>
#include <vector>

namespace tasuki::argon {

enum class Mixing { neighbours, gibbs };

struct StatePair {
  int low, high;
};

// The trials of a pair of states.
struct Tally {
  long attempted = 0, accepted = 0;
  double probability = 0; // sum over the attempts of min(1, exp(..)): an acceptance with less noise
};

// The data that is stored between runs, from which a run is resumed.
struct ExchangeState {
  std::vector<int> state;     // of each replica
  std::vector<char> lost;     // of each replica: 1 if it takes no further part
  std::vector<Tally> tallies; // of each pair
  long trials = 0, accepted = 0;
};

// Every rank has all energies and makes the same decisions, from random numbers keyed on seed, attempt and pair, and by
// its own exponential function: the results are the same on any number of ranks and on any machine.
class Exchange {
public:
  // Replica r begins in state r, or if `dealt` in dealt_state(r, S). gibbs_trials: trials per attempt; 0: the lesser of
  // S^2 and 8 S for S states.
  Exchange(Ladder ladder, Mixing mixing, std::uint64_t seed, long gibbs_trials = 0, bool dealt = false);

  // Makes decision number `attempt`, from 0. potential: total of each replica, kJ/mol; volume: nm^3, empty at constant
  // volume. Neighbour exchange alternates odd and even pairs, and in two dimensions also temperature and pressure.
  void decide(long attempt, const std::vector<double>& potential, const std::vector<double>& volume);

  // A swap of the replicas in these two states is accepted with probability min(1, exp(exponent)).
  double exponent(int a, int b, const std::vector<double>& potential,
                  const std::vector<double>& volume) const;

  const Ladder& ladder() const { return ladder_; }
  int replicas() const { return ladder_.states(); }
  int state_of(long replica) const { return now_.state[static_cast<std::size_t>(replica)]; }
  int replica_in(int state) const { return replica_in_[static_cast<std::size_t>(state)]; }
  const std::vector<StatePair>& pairs() const {
    return pairs_;
  } // neighbours: in temperature, then in pressure
  const ExchangeState& now() const { return now_; }
  double acceptance() const; // accepted / trials; 0 without trials
  long gibbs_trials() const { return gibbs_trials_; }

  void lose(long replica); // it takes no further part: its state stays with it
  bool lost(long replica) const { return now_.lost[static_cast<std::size_t>(replica)] != 0; }
  void restore(ExchangeState state); // throws Error if it does not fit this ladder

private:
  struct Outcome {
    long tried = 0, accepted = 0;
  };
  Outcome attempt_pair(long attempt, std::size_t trial, int a, int b, Tally* tally,
                       const std::vector<double>& potential, const std::vector<double>& volume);
  void decide_gibbs(long attempt, const std::vector<double>& potential, const std::vector<double>& volume);

  Ladder ladder_;
  Mixing mixing_;
  std::uint64_t seed_;
  long gibbs_trials_;
  std::vector<StatePair> pairs_;
  std::vector<double> beta_;
  std::vector<int> replica_in_;
  ExchangeState now_;
};

// exp(x) for x <= 0 by additions and multiplications only, so that the bits are the same on every machine; exp() of the
// C library does not guarantee this. Within 1e-15 relative; 0 below -700.
double same_exp(double x);

} // namespace tasuki::argon

// A share of the intervals is done twice, on different devices, and compared bit by bit: what a device computes wrongly
// without a word is found, named and computed again.
//
// The replicas of a rank are done again by the next one, round the ring; a run of one rank does them again itself, which
// finds only errors that come and go. Where two differ, a third computation on the owner's device decides.
#pragma once

#include <apps/argon/engine/replicas.hpp>
#include <apps/argon/exchange/exchange.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::argon {

class Verify {
public:
  Verify(World& world, double share, std::uint64_t seed);

  bool wanted() const { return share_ > 0; }

  // Where TASUKI_FLIP=replica:interval[:byte:bit] is set, turns a bit of that replica's state at the end of that interval,
  // to see it found; a negative byte counts from the end.
  void flip(long interval, Replicas& replicas) const;

  // Before an interval: keeps the states of those that will be done again. The device is waited for where there are any.
  void before(long interval, const Replicas& replicas, const std::vector<Conditions>& conditions,
              const std::vector<float>& factors);
  // After it: compares, and puts right the atoms and what was measured. Returns a line for each that differed, on rank 0. Throws Error where three computations differ. Collective.
  std::vector<std::string> after(Replicas& replicas, std::vector<Measured>& measured, long first_step,
                                 int steps);

  long verified() const { return verified_; } // by this rank, of its own
  long differed() const { return differed_; }

private:
  static constexpr long kMiddle = 1L << 40;
  struct Flip {
    long replica = 0, interval = 0, byte = kMiddle;
    int bit = 0;
  };
  struct Sample {
    std::vector<long> replicas;
    std::vector<State> states;
    std::vector<Conditions> conditions;
    std::vector<float> factors;
  };
  std::vector<State> again(const Sample& sample, Replicas& replicas, long first_step, int steps) const;

  World& world_;
  double share_;
  std::uint64_t seed_;
  std::optional<Flip> flip_;
  Sample sample_; // of this rank's
  long verified_ = 0, differed_ = 0;
};

} // namespace tasuki::argon

// A fraction of the intervals is computed twice, on different devices, and compared bit by bit: silent errors of a
// device are detected, reported and corrected.
//
// The next rank (cyclically) repeats the replicas of a rank. With one rank, the same device repeats them, which detects
// only transient errors. If two results differ, a third computation on the owner's device decides.
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

  // If TASUKI_FLIP=replica:interval[:byte:bit] is set, inverts a bit of that replica's state at the end of an interval,
  // to test the detection; a negative byte counts from the end.
  void flip(long interval, Replicas& replicas) const;

  // Before an interval: saves the states of the replicas that will be repeated. Waits for the device if there are any.
  void before(long interval, const Replicas& replicas, const std::vector<Conditions>& conditions,
              const std::vector<float>& factors);
  // Then compares and corrects; returns a line per difference, on rank 0. Throws Error if three differ. Collective.
  std::vector<std::string> after(Replicas& replicas, std::vector<Measured>& measured, long first_step,
                                 int steps);

  long verified() const { return verified_; } // replicas of this rank
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
  Sample sample_; // of this rank's replicas
  long verified_ = 0, differed_ = 0;
};

} // namespace tasuki::argon

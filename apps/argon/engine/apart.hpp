// Temporary replicas in separate memory: copies of replicas of other ranks, or replicas for a start.
#pragma once

#include <apps/argon/engine/engine.hpp>
#include <apps/argon/engine/state.hpp>
#include <apps/argon/physics/small.hpp>

#include <memory>
#include <vector>

namespace tasuki::argon {

class Apart {
public:
  // `numbers`: the replica numbers that select their random numbers.
  Apart(Device& device, const System& system, const Dynamics& dynamics,
        const std::vector<std::uint32_t>& numbers);

  void put(const std::vector<State>& states);
  void take(std::vector<State>& states) const; // waits; the states must have the right size
  // Like Replicas::set() and advance(). frozen: atoms with lower numbers do not move.
  void advance(const std::vector<Conditions>& conditions, const std::vector<float>& factors, long first_step,
               int steps, int frozen);
  void measured(std::vector<Measured>& to) const;

private:
  std::size_t cells() const { return static_cast<std::size_t>(row_ * count_); }
  long at(int axis, long row) const { return axis * static_cast<long>(cells()) + row * row_; }
  template <class States, class F>
  void each_row(States& states, const F& f) const {
    for (long row = 0; row < count_; ++row)
      f(row, parts_of(const_cast<State&>(states[static_cast<std::size_t>(row)]), n_));
  }

  Device& device_;
  long n_, count_, row_;
  Buffer place_, velocity_, own_;
  Small small_;
  std::unique_ptr<Engine> engine_;
  Laws laws_;
};

} // namespace tasuki::argon

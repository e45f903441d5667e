// Sums over the lattice, exact until a final rounding: the same bits on any number of ranks.
#pragma once

#include <tasuki/device/exact_sum.hpp>
#include <tasuki/tasuki.hpp>

#include <vector>

namespace tasuki::wilson {

// Several sums at once. Each rank adds its own numbers; over_ranks() is the same on all ranks.
class Totals {
public:
  explicit Totals(int count);

  void add(int sum, double x);
  // Adds the owned cells of every component: component k to sum first + k. Waits for the device.
  template <class T>
  void add(const Field<T>& field, int first = 0) {
    const std::vector<double> values = field.to_host();
    const std::size_t cells = values.size() / Field<T>::components;
    for (std::size_t k = 0; k < values.size(); ++k) add(first + static_cast<int>(k / cells), values[k]);
  }

  std::vector<double> over_ranks(World& world) const; // collective

private:
  static constexpr int kCarryEvery = 1 << 30; // additions to a digit of 32 bits before 64 bits overflow

  std::vector<ExactSum> sums_;
  std::vector<long> added_;
};

} // namespace tasuki::wilson

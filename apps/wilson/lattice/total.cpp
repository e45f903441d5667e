#include <apps/wilson/lattice/total.hpp>
#include <tasuki/base/gather.hpp>

namespace tasuki::wilson {

Totals::Totals(int count)
    : sums_(static_cast<std::size_t>(count), ExactSum{}), added_(static_cast<std::size_t>(count), 0) {}

void Totals::add(int sum, double x) {
  const auto k = static_cast<std::size_t>(sum);
  long long* const digit = sums_[k].digit;
  exact_split(x, [&](int at, long long amount) { digit[at] += amount; });
  if (++added_[k] % kCarryEvery == 0) exact_carry(digit);
}

std::vector<double> Totals::over_ranks(World& world) const {
  std::vector<double> mine; // digits, of 32 bits after the carries: a double represents them exactly
  for (ExactSum sum : sums_) {
    exact_carry(sum.digit);
    mine.insert(mine.end(), sum.digit, sum.digit + ExactSum::kSize);
  }
  const std::vector<double> all = Gather(world, static_cast<int>(mine.size()))(mine);
  std::vector<double> totals;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    ExactSum total{};
    for (std::size_t at = k * ExactSum::kSize; at < all.size(); at += mine.size())
      for (std::size_t d = 0; d < ExactSum::kSize; ++d) total.digit[d] += static_cast<long long>(all[at + d]);
    totals.push_back(exact_value(total));
  }
  return totals;
}

} // namespace tasuki::wilson

// The inner solver of a solve in double, whatever it stores.
#pragma once

#include <apps/wilson/solver/krylov.hpp>
#include <apps/wilson/solver/solver.hpp>

namespace tasuki::wilson {

// Residuals go in and corrections come out in double.
class Inner {
public:
  virtual ~Inner() = default;
  // From the residuals as they are now; corrections are added to x.
  virtual std::vector<Stretch> advance(const std::vector<Goal>& goals,
                                       const std::function<bool(int, double)>& each) = 0;
};

// As options.inner says: it takes residuals from r and adds to x.
std::unique_ptr<Inner> make_inner(const Gauge& gauge, const Action& action, const SolveOptions& options,
                                  const Block& block, const Spinors<double>& r, const Spinors<double>& x);

} // namespace tasuki::wilson

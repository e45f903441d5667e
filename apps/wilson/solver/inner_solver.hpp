// The inner solver with double-precision interface, for any storage format.
#pragma once

#include <apps/wilson/solver/krylov.hpp>
#include <apps/wilson/solver/solver.hpp>

namespace tasuki::wilson {

// Takes residuals and returns corrections in double precision.
class Inner {
public:
  virtual ~Inner() = default;
  // Solves for the present residuals; corrections are added to x.
  virtual std::vector<Stretch> advance(const std::vector<Goal>& goals,
                                       const std::function<bool(int, double)>& each) = 0;
};

// The solver of options.inner: it reads residuals from r and adds corrections to x.
std::unique_ptr<Inner> make_inner(const Gauge& gauge, const Action& action, const SolveOptions& options,
                                  const Block& block, const Spinors<double>& r, const Spinors<double>& x);

} // namespace tasuki::wilson

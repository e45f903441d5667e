// The inner solvers for one storage format. One source per format includes this header, compiled for every device.
#pragma once

#include <apps/wilson/solver/bicgstab.hpp>
#include <apps/wilson/solver/conjugate_gradients.hpp>

namespace tasuki::wilson {

template <class S>
std::unique_ptr<Krylov<S>> make_krylov(const Block& block, const Dirac<S>& dirac, double kappa,
                                       const KrylovOptions& options) {
  if (options.sums != 2 && options.sums != 3)
    throw Error("a solver with " + std::to_string(options.sums) + " sums an iteration is asked for",
                "use 2 or 3");
  if (block.columns() > kMostColumns)
    throw Error("a solver of " + std::to_string(block.columns()) + " columns at once is asked for",
                "use " + std::to_string(kMostColumns) + " or fewer");
  if (options.method == Method::cg)
    return std::make_unique<detail::ConjugateGradients<S>>(block, dirac, kappa, options);
  return std::make_unique<detail::BiCGStab<S>>(block, dirac, kappa, options);
}

} // namespace tasuki::wilson

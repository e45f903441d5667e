// The inner solvers in double precision.
#include <apps/wilson/solver/krylov_sweeps.hpp>

namespace tasuki::wilson {

template std::unique_ptr<Krylov<double>> make_krylov<double>(const Block&, const Dirac<double>&, double,
                                                             const KrylovOptions&);

} // namespace tasuki::wilson

// The inner solvers in 16-bit fixed point.
#include <apps/wilson/solver/krylov_sweeps.hpp>

namespace tasuki::wilson {

template std::unique_ptr<Krylov<Half>> make_krylov<Half>(const Block&, const Dirac<Half>&, double,
                                                         const KrylovOptions&);

} // namespace tasuki::wilson

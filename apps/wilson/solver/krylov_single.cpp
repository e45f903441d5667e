// The inner solvers in single precision.
#include <apps/wilson/solver/krylov_sweeps.hpp>

namespace tasuki::wilson {

template std::unique_ptr<Krylov<float>> make_krylov<float>(const Block&, const Dirac<float>&, double,
                                                           const KrylovOptions&);

} // namespace tasuki::wilson

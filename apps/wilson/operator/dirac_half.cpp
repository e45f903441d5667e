// The operator in 16-bit fixed point.
#include <apps/wilson/operator/dirac_sweeps.hpp>

namespace tasuki::wilson {

template Spinors<Half> make_spinors<Half>(const Block&, const std::string&);
template std::unique_ptr<Dirac<Half>> make_dirac<Half>(const Gauge&, const Action&, int);

} // namespace tasuki::wilson

// The operator in double precision.
#include <apps/wilson/operator/dirac_sweeps.hpp>

namespace tasuki::wilson {

template Spinors<double> make_spinors<double>(const Block&, const std::string&);
template std::unique_ptr<Dirac<double>> make_dirac<double>(const Gauge&, const Action&, int);

} // namespace tasuki::wilson

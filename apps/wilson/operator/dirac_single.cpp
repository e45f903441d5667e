// The operator in single precision.
#include <apps/wilson/operator/dirac_sweeps.hpp>

namespace tasuki::wilson {

template Spinors<float> make_spinors<float>(const Block&, const std::string&);
template std::unique_ptr<Dirac<float>> make_dirac<float>(const Gauge&, const Action&, int);

} // namespace tasuki::wilson

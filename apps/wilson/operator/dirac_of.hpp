// The operator for one way to store numbers and links: what a source of its own is made for, since each of them keeps a
// compiler busy for half a minute.
#pragma once

#include <apps/wilson/operator/dirac.hpp>

namespace tasuki::wilson {

// As make_dirac(gauge, action, Numbers). S: double, float, Half. Numbers: 18, 12, 8.
template <class S, int Numbers>
std::unique_ptr<Dirac<S>> make_dirac_of(const Gauge& gauge, const Action& action);

} // namespace tasuki::wilson

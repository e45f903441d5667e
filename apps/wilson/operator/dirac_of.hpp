// The operator for one storage format of numbers and links. Each format has a separate source, which takes half a
// minute to compile.
#pragma once

#include <apps/wilson/operator/dirac.hpp>

namespace tasuki::wilson {

// Like make_dirac(gauge, action, Numbers). S: double, float, Half. Numbers: 18, 12, 8.
template <class S, int Numbers>
std::unique_ptr<Dirac<S>> make_dirac_of(const Gauge& gauge, const Action& action);

} // namespace tasuki::wilson

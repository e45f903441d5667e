#include <apps/wilson/gauge/staples.hpp>

namespace tasuki::wilson {

Sweep staples_of(const Gauge& gauge, double anisotropy, int parity, int mu, const MatrixField& staples) {
  switch (mu) {
    case 0: return staples_along<0>(gauge, anisotropy, parity, staples);
    case 1: return staples_along<1>(gauge, anisotropy, parity, staples);
    case 2: return staples_along<2>(gauge, anisotropy, parity, staples);
    default: return staples_along<3>(gauge, anisotropy, parity, staples);
  }
}

} // namespace tasuki::wilson

#include <apps/wilson/format/basis.hpp>

#include <apps/wilson/lattice/su3.hpp>

namespace tasuki::wilson {
namespace {

constexpr int kTurn[kSpins][kSpins] = {
    {0, 1, 0, 1}, {-1, 0, -1, 0}, {0, -1, 0, 1}, {1, 0, -1, 0}}; // T times sqrt 2
constexpr double kHalfRoot = 0.70710678118654752440;
constexpr int kColourReals = 2 * kColours;
constexpr int kColumnsASpin = kColours * kSpinorReals; // reals of a propagator for one spin of the source

// Multiplies reals that differ in spin only, `step` apart, by T, or by its transpose, which is its inverse.
void turn(double* reals, int step, bool inverse) {
  double old[kSpins];
  for (int s = 0; s < kSpins; ++s) old[s] = reals[s * step];
  for (int s = 0; s < kSpins; ++s) {
    double sum = 0;
    for (int r = 0; r < kSpins; ++r) sum += (inverse ? kTurn[r][s] : kTurn[s][r]) * old[r];
    reals[s * step] = kHalfRoot * sum;
  }
}

void turn_spinor(double* spinor, bool inverse) {
  for (int k = 0; k < kColourReals; ++k) turn(spinor + k, kColourReals, inverse);
}

// S in memory is T S T^+; T is real, so both indices are transformed in the same way.
void turn_propagator(double* spinors, bool inverse) {
  for (int c = 0; c < kSpins * kColours; ++c) turn_spinor(spinors + c * kSpinorReals, inverse);
  for (int k = 0; k < kColumnsASpin; ++k) turn(spinors + k, kColumnsASpin, inverse);
}

} // namespace

void to_file_basis(double* spinor) { turn_spinor(spinor, true); }
void to_memory_basis(double* spinor) { turn_spinor(spinor, false); }
void propagator_to_file_basis(double* spinors) { turn_propagator(spinors, true); }
void propagator_to_memory_basis(double* spinors) { turn_propagator(spinors, false); }

} // namespace tasuki::wilson

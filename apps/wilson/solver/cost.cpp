#include <apps/wilson/solver/cost.hpp>

namespace tasuki::wilson {
namespace {

struct Sizes {
  int number; // bytes of a number
  int planes; // of a spinor
};
Sizes sizes_of(Precision precision) {
  switch (precision) {
    case Precision::half: return {sizeof(Stored<Half>::Element), Stored<Half>::kPlanes};
    case Precision::single: return {sizeof(float), Stored<float>::kPlanes};
    default: return {sizeof(double), Stored<double>::kPlanes};
  }
}
constexpr int kDoubleSpinors = 9, kInnerSpinors = 7; // fields of the solver, each of one parity

} // namespace

// Four hop operators on half of the lattice, 1320 flop per site each, two combinations of 48, and vector updates and
// sums: 960 for BiCGStab (6336 in all), 432 for CG.
double flops_of(Method method) { return 4 * 1320 + 2 * 48 + (method == Method::cg ? 432 : 960); }

double memory_of_solver(const std::array<long, kAxes>& sites, const SolveOptions& options) {
  Widths halo{};
  for (int a = 0; a < kAxes; ++a) halo[a] = Width(1);
  const auto cells =
      static_cast<double>(layout_of(kAxes, {sites[0] / 2, sites[1], sites[2], sites[3]}, halo).plane);
  const Sizes inner = sizes_of(options.inner);
  const double links = 2 * kAxes * (18.0 * sizeof(double) + options.links * inner.number);
  const double spinors = kDoubleSpinors * kSpinorReals * static_cast<double>(sizeof(double)) +
                         kInnerSpinors * inner.planes * inner.number;
  const double offers = sizeof(double) + (1 + 2 + 8) * sizeof(double);
  return cells * (links + options.columns * (spinors + offers));
}

std::string to_string(Precision precision) {
  switch (precision) {
    case Precision::half: return "half";
    case Precision::single: return "single";
    default: return "double";
  }
}

} // namespace tasuki::wilson

#include <apps/wilson/operator/half_spinor.hpp>

#include <apps/wilson/lattice/gamma.hpp>

namespace tasuki::wilson {
namespace {

// The terms of (1 - Sign gamma_Axis) psi, computed by project() of unit spinors, so that both always agree.
template <int Axis, int Sign>
std::vector<WireTerm> terms() {
  std::vector<WireTerm> list;
  if constexpr (Axis == 3) {
    const int first = Sign > 0 ? kSpinorReals / 2 : 0;
    for (int k = first; k < first + kSpinorReals / 2; ++k) list.push_back({k, k});
    return list;
  }
  for (int to = 0; to < kSpinorReals / 2; ++to) list.push_back({to, to});
  for (int from = kSpinorReals / 2; from < kSpinorReals; ++from) {
    const auto h = project<Axis, Sign, double>([from](int k) { return k == from ? 1.0 : 0.0; });
    for (int to = 0; to < kSpinorReals / 2; ++to) {
      const Complex<double>& z = h.s[to / 6].c[to % 6 / 2];
      const double part = to % 2 ? z.im : z.re;
      if (part == 0) continue;
      list[static_cast<std::size_t>(to)].with = from;
      list[static_cast<std::size_t>(to)].sign = part > 0 ? 1 : -1;
    }
  }
  return list;
}

template <int Axis>
void add(Codec& codec, int planes) {
  codec.terms[Axis] = {terms<Axis, -1>(), terms<Axis, 1>()};
  for (auto& side : codec.terms[Axis])
    for (int k = kSpinorReals; k < planes; ++k) side.push_back({k, k});
}

} // namespace

std::shared_ptr<const Codec> half_spinor(int planes) {
  auto codec = std::make_shared<Codec>();
  add<0>(*codec, planes);
  add<1>(*codec, planes);
  add<2>(*codec, planes);
  add<3>(*codec, planes);
  return codec;
}

} // namespace tasuki::wilson

#include <apps/wilson/operator/dirac.hpp>

#include <apps/wilson/operator/dirac_of.hpp>
#include <apps/wilson/operator/half_spinor.hpp>

namespace tasuki::wilson {

template <class S>
Spinors<S> make_spinors(const Block& block, const std::string& name) {
  const auto lattice = half_spinor(Stored<S>::kPlanes);
  auto codec = std::make_shared<Codec>();
  for (std::size_t mu = 0; mu < kAxes; ++mu)
    codec->terms[static_cast<std::size_t>(block_axis(static_cast<int>(mu)))] = lattice->terms[mu];
  return Spinors<S>(block.grid(), name, std::move(codec));
}

template <class S>
std::unique_ptr<Dirac<S>> make_dirac(const Gauge& gauge, const Action& action, int numbers) {
  switch (numbers) {
    case 18: return make_dirac_of<S, 18>(gauge, action);
    case 12: return make_dirac_of<S, 12>(gauge, action);
    case 8: return make_dirac_of<S, 8>(gauge, action);
    default: throw Error("links are asked for as " + std::to_string(numbers) + " numbers", "use 18, 12 or 8");
  }
}

template Spinors<double> make_spinors<double>(const Block&, const std::string&);
template Spinors<float> make_spinors<float>(const Block&, const std::string&);
template Spinors<Half> make_spinors<Half>(const Block&, const std::string&);
template std::unique_ptr<Dirac<double>> make_dirac<double>(const Gauge&, const Action&, int);
template std::unique_ptr<Dirac<float>> make_dirac<float>(const Gauge&, const Action&, int);
template std::unique_ptr<Dirac<Half>> make_dirac<Half>(const Gauge&, const Action&, int);

} // namespace tasuki::wilson

#include <apps/wilson/lattice/sites.hpp>
#include <apps/wilson/lattice/spinor_field.hpp>

namespace tasuki::wilson {

std::vector<double> SpinorField::to_sites(const Lattice& lattice) const {
  const auto cells = static_cast<std::size_t>(lattice.owned_sites() / 2);
  std::vector<double> spinors(2 * cells * kSpinorReals);
  for (int p = 0; p < 2; ++p) {
    const std::vector<double> planes = parity[static_cast<std::size_t>(p)].to_host();
    for_each_site(lattice.owned(), p, [&](std::size_t cell, std::size_t site) {
      for (std::size_t k = 0; k < kSpinorReals; ++k)
        spinors[site * kSpinorReals + k] = planes[k * cells + cell];
    });
  }
  return spinors;
}

void SpinorField::from_sites(const Lattice& lattice, const std::vector<double>& spinors) {
  const auto cells = static_cast<std::size_t>(lattice.owned_sites() / 2);
  if (spinors.size() != 2 * cells * kSpinorReals)
    throw Error("a spinor field was given " + std::to_string(spinors.size()) + " numbers",
                "give 24 a site that this rank owns");
  std::vector<double> planes(cells * kSpinorReals);
  for (int p = 0; p < 2; ++p) {
    for_each_site(lattice.owned(), p, [&](std::size_t cell, std::size_t site) {
      for (std::size_t k = 0; k < kSpinorReals; ++k)
        planes[k * cells + cell] = spinors[site * kSpinorReals + k];
    });
    parity[static_cast<std::size_t>(p)].from_host(planes);
  }
}

} // namespace tasuki::wilson

#include <apps/wilson/lattice/lattice.hpp>

namespace tasuki::wilson {
namespace {

std::array<long, kAxes> halved(const std::array<long, kAxes>& extents) {
  for (int a = 0; a < kAxes; ++a)
    if (extents[a] < 2 || extents[a] % 2 != 0)
      throw Error("a lattice of " + std::to_string(extents[a]) + " sites along " + "xyzt"[a] +
                      " has no even and odd sites that take turns",
                  "use an even number of sites along each axis");
  return {extents[0] / 2, extents[1], extents[2], extents[3]};
}

GridOptions periodic(GridOptions options) {
  options.periodic = true;
  options.wraps = true;
  return options;
}

} // namespace

Lattice::Lattice(World& world, const std::array<long, kAxes>& extents, const GridOptions& options)
    : extents_(extents), grid_(world, halved(extents), periodic(options)) {}

Box Lattice::owned() const {
  Box sites = grid_.owned();
  sites.lo[0] *= 2;
  sites.hi[0] *= 2;
  return sites;
}

Place place_of(const Box& sites, const std::array<long, kAxes>& site) {
  const int parity = static_cast<int>((site[0] + site[1] + site[2] + site[3]) & 1);
  long cell = site[3] - sites.lo[3];
  for (int a = 2; a > 0; --a) cell = cell * sites.extent(a) + site[a] - sites.lo[a];
  return {cell * (sites.extent(0) / 2) + (site[0] - sites.lo[0]) / 2, parity};
}

} // namespace tasuki::wilson

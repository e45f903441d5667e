// Sites in the order of files, and the positions of their values in a field on the host.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>

#include <cstddef>

namespace tasuki::wilson {

// Calls call(cell, site) for the sites of one parity of a rank's box, with the indices of cell and site, x first, in
// the order of the cells.
template <class Call>
void for_each_site(const Box& sites, int parity, const Call& call) {
  std::size_t cell = 0, row = 0;
  for (long t = sites.lo[3]; t < sites.hi[3]; ++t)
    for (long z = sites.lo[2]; z < sites.hi[2]; ++z)
      for (long y = sites.lo[1]; y < sites.hi[1]; ++y, ++row) {
        const auto bit = static_cast<std::size_t>(x_bit(parity, static_cast<int>((y + z + t) & 1)));
        const auto n = static_cast<std::size_t>(sites.extent(0) / 2);
        for (std::size_t x = 0; x < n; ++x, ++cell) call(cell, 2 * (row * n + x) + bit);
      }
}

} // namespace tasuki::wilson

// Checks of all links by all ranks together: a fast test per link, and sums over all links.
#pragma once

#include <apps/wilson/format/sums.hpp>
#include <apps/wilson/lattice/lattice.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::wilson {

// The first invalid link of a lattice, in the order of files.
struct Fault {
  std::uint64_t number = 0; // site * 4 + mu
  double off = 0;
};

struct Findings {
  Sum sum{};                     // the file's checksum, computed from its bytes
  std::optional<Fault> infinite; // a link with a number that is not finite
  std::optional<Fault> not_su3;  // a link whose deviation from SU(3) exceeds the bound
  double deviation = 0;          // the largest of all links: |U U^+ - 1| and |det U - 1|, per entry
  double link_trace = 0;         // mean of Re tr U / 3, by an exact sum over sites
};

// For this rank's links in site order and the sum of its bytes. The result is the same on every rank and for any
// number of ranks. Collective.
Findings examine_links(const Lattice& lattice, const std::vector<double>& links, double bound, SumKind kind,
                       const Sum& mine);

// The first site, in the order of files, at which one of the fields of 24 numbers per site is not finite.
// Collective.
std::optional<std::uint64_t> first_infinite(const Lattice& lattice,
                                            const std::vector<std::vector<double>>& fields);

// Combines the sums of the ranks; the result is on every rank. Collective.
Sum sum_over(World& world, SumKind kind, const Sum& mine);

// "U_y at (3, 0, 1, 7)" for a fault of links; "(3, 0, 1, 7)" for a site.
std::string link_text(const Lattice& lattice, std::uint64_t number);
std::string site_text(const Lattice& lattice, std::uint64_t site);

} // namespace tasuki::wilson

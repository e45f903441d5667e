// What all ranks together find in the links that they hold: a cheap look at each link, and sums over all.
#pragma once

#include <apps/wilson/format/sums.hpp>
#include <apps/wilson/lattice/lattice.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki::wilson {

// The first link of a lattice, in the order of files, that is not as it ought to be.
struct Fault {
  std::uint64_t number = 0; // site * 4 + mu
  double off = 0;
};

struct Findings {
  Sum sum{};                     // the file's checksum as its bytes give it
  std::optional<Fault> infinite; // a link with a number that is not finite
  std::optional<Fault> not_su3;  // a link further from SU(3) than the bound
  double deviation = 0;          // the largest of all links: |U U^+ - 1| and |det U - 1|, by entry
  double link_trace = 0;         // mean of Re tr U / 3, by an exact sum over sites
};

// Of this rank's links in site order and the sum of its bytes. The same on every rank, and for any number of
// them. Collective.
Findings examine_links(const Lattice& lattice, const std::vector<double>& links, double bound, SumKind kind,
                       const Sum& mine);

// The first site, in the order of files, where one of the fields of 24 numbers a site is not finite.
// Collective.
std::optional<std::uint64_t> first_infinite(const Lattice& lattice,
                                            const std::vector<std::vector<double>>& fields);

// What the ranks' sums come to, on every rank. Collective.
Sum sum_over(World& world, SumKind kind, const Sum& mine);

// "U_y at (3, 0, 1, 7)" of a fault of links; "(3, 0, 1, 7)" of a site.
std::string link_text(const Lattice& lattice, std::uint64_t number);
std::string site_text(const Lattice& lattice, std::uint64_t site);

} // namespace tasuki::wilson

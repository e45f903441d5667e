// What the tests of Wilson's files share: a field that every rank knows whole, its parts, and bytes changed
// in files.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <apps/wilson/lattice/su3.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/file/site_file.hpp>
#include <tests/file/folder.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace tasuki::wilson::test {

using tasuki::test::InFolder;
using tasuki::test::world;
using Extents = std::array<long, kAxes>;

inline long sites_of(const Extents& n) { return n[0] * n[1] * n[2] * n[3]; }

// Matrices of SU(3) from rows of normal numbers by Gram and Schmidt; near 1 where `width` is small. For every
// site, in the order of files.
inline std::vector<double> random_links(const Extents& n, double width, std::uint64_t stream) {
  tasuki::test::Random random = tasuki::test::random(stream);
  std::normal_distribution<double> normal(0, width);
  std::vector<double> links;
  for (long link = 0; link < sites_of(n) * kAxes; ++link) {
    Matrix<double> u = Matrix<double>::one();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < kColours; ++j)
        u.e[i][j] = u.e[i][j] + Complex<double>{normal(random), normal(random)};
    const auto unit = [&](int i) {
      double norm = 0;
      for (int j = 0; j < kColours; ++j) norm += norm2(u.e[i][j]);
      for (int j = 0; j < kColours; ++j) u.e[i][j] = (1 / std::sqrt(norm)) * u.e[i][j];
    };
    unit(0);
    Complex<double> along{0, 0};
    for (int j = 0; j < kColours; ++j) along = along + conj(u.e[0][j]) * u.e[1][j];
    for (int j = 0; j < kColours; ++j) u.e[1][j] = u.e[1][j] - along * u.e[0][j];
    unit(1);
    complete(u);
    for (int i = 0; i < kColours; ++i)
      for (int j = 0; j < kColours; ++j) {
        links.push_back(u.e[i][j].re);
        links.push_back(u.e[i][j].im);
      }
  }
  return links;
}

// This rank's part of something of so many doubles a site.
inline std::vector<double> part_of(const Lattice& lattice, const std::vector<double>& whole, long doubles) {
  Index n{};
  for (int a = 0; a < kAxes; ++a) n[a] = lattice.extents()[a];
  std::vector<double> mine;
  for_runs(lattice.owned(), n, [&](std::uint64_t place, long cells) {
    const auto* from = whole.data() + static_cast<long>(place) * doubles;
    mine.insert(mine.end(), from, from + cells * doubles);
  });
  return mine;
}

// The other way: what all ranks have, on each of them. Collective.
inline std::vector<double> whole_of(const Lattice& lattice, const std::vector<double>& mine, long doubles) {
  Index n{};
  for (int a = 0; a < kAxes; ++a) n[a] = lattice.extents()[a];
  std::vector<double> places;
  for_runs(lattice.owned(), n, [&](std::uint64_t place, long cells) {
    for (long i = 0; i < cells; ++i) places.push_back(static_cast<double>(place) + static_cast<double>(i));
  });
  Gather gather_places(lattice.world(), static_cast<int>(places.size()));
  Gather gather(lattice.world(), static_cast<int>(mine.size()));
  const std::vector<double> all_places = gather_places(places), all = gather(mine);
  std::vector<double> whole(all.size());
  for (std::size_t i = 0; i < all_places.size(); ++i)
    std::copy_n(all.begin() + static_cast<long>(i) * doubles, doubles,
                whole.begin() + static_cast<long>(all_places[i]) * doubles);
  return whole;
}

// Mean of Re tr U_p / 3 of the whole field, by loops.
inline double plaquette_of(const Extents& n, const std::vector<double>& links) {
  const auto link = [&](Extents at, int mu) {
    long site = 0;
    for (int a = kAxes - 1; a >= 0; --a) site = site * n[a] + at[a] % n[a];
    const double* from = &links[static_cast<std::size_t>((site * kAxes + mu) * kMatrixReals)];
    return load_matrix<double>([&](int k) { return from[k]; });
  };
  double sum = 0;
  for (long t = 0; t < n[3]; ++t)
    for (long z = 0; z < n[2]; ++z)
      for (long y = 0; y < n[1]; ++y)
        for (long x = 0; x < n[0]; ++x)
          for (int mu = 0; mu < kAxes; ++mu)
            for (int nu = 0; nu < mu; ++nu) {
              const Extents here{x, y, z, t};
              Extents along = here, beside = here;
              ++along[mu];
              ++beside[nu];
              sum += trace(link(here, mu) * link(along, nu) * adjoint(link(beside, mu)) *
                           adjoint(link(here, nu)))
                         .re;
            }
  return sum / 3 / 6 / static_cast<double>(sites_of(n));
}

inline testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos && text.find('\n') == std::string::npos &&
      text.find("; ") != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' has no '" << part
                                     << "', or is not one line with a mend";
}

} // namespace tasuki::wilson::test

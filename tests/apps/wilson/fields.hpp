// What tests of gauge fields share: whole fields, and every way to cut a lattice.
#pragma once

#include <apps/wilson/gauge/gauge.hpp>
#include <tests/apps/variants.hpp>

#include <complex>
#include <cstdint>
#include <vector>

namespace tasuki::test {

// All links on rank 0, parity by parity and axis by axis; empty elsewhere. Collective.
inline std::vector<double> whole(const wilson::Gauge& gauge) {
  std::vector<double> all;
  for (int p = 0; p < 2; ++p)
    for (int mu = 0; mu < wilson::kAxes; ++mu) {
      const std::vector<double> links = gauge.link(p, mu).gather();
      all.insert(all.end(), links.begin(), links.end());
    }
  return all;
}

// Each axis is of another length, but for two.
inline const std::array<long, wilson::kAxes> kUneven{8, 4, 6, 4};

// make(lattice) on every decomposition, by every executor: the bits of what it returns are the same. Returns them.
template <class Make>
std::vector<double> same_bits_everywhere(const std::array<long, wilson::kAxes>& extents, const Make& make) {
  std::vector<double> first;
  for (const Variant& variant : variants({extents[0] / 2, extents[1], extents[2], extents[3]})) {
    SCOPED_TRACE(variant.name());
    const auto world = variant.world();
    const wilson::Lattice lattice(*world, extents);
    const std::vector<double> got = make(lattice);
    if (first.empty()) first = got;
    expect_same_bits(got, first);
    if (any_rank(testing::Test::HasFailure())) break;
  }
  return first;
}

// A number for the bits of some values (FNV-1a), to be written down. 0 where there are none.
inline std::uint64_t fingerprint(const std::vector<double>& values) {
  if (values.empty()) return 0;
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto* byte = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t k = 0; k < values.size() * sizeof(double); ++k) hash = (hash ^ byte[k]) * 0x100000001b3u;
  return hash;
}
// Bits that were written down are those of a host that multiplies and adds in one instruction.
inline bool has_written_bits() {
#if defined(__FMA__)
  return world().rank() == 0 && !device().cuda();
#else
  return false;
#endif
}

// A gauge field as plain matrices, by site and axis, for loops written out.
class PlainGauge {
public:
  using Complex = std::complex<double>;
  using Matrix = std::array<std::array<Complex, 3>, 3>;
  using Site = std::array<long, 4>;

  // Of one rank, which owns it all.
  explicit PlainGauge(const wilson::Gauge& gauge)
      : extents_(gauge.lattice().extents()), links_(gauge.to_sites()) {}

  const Site& extents() const { return extents_; }
  Matrix link(const Site& n, std::size_t mu) const {
    std::size_t site = 0;
    for (std::size_t a = 4; a-- > 0;)
      site = site * static_cast<std::size_t>(extents_[a]) +
             static_cast<std::size_t>((n[a] + extents_[a]) % extents_[a]);
    Matrix m;
    for (std::size_t k = 0; k < 9; ++k) {
      const double* const at = &links_[(site * 4 + mu) * 18 + 2 * k];
      m[k / 3][k % 3] = {at[0], at[1]};
    }
    return m;
  }
  template <class Call>
  void each_site(const Call& call) const {
    Site n{};
    for (n[3] = 0; n[3] < extents_[3]; ++n[3])
      for (n[2] = 0; n[2] < extents_[2]; ++n[2])
        for (n[1] = 0; n[1] < extents_[1]; ++n[1])
          for (n[0] = 0; n[0] < extents_[0]; ++n[0]) call(n);
  }

  static Matrix times(const Matrix& a, const Matrix& b) {
    Matrix m{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 3; ++k) m[i][j] += a[i][k] * b[k][j];
    return m;
  }
  static Matrix adjoint(const Matrix& a) {
    Matrix m;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) m[i][j] = std::conj(a[j][i]);
    return m;
  }
  static Complex trace(const Matrix& a) { return a[0][0] + a[1][1] + a[2][2]; }
  static Site next(Site n, std::size_t mu, long by = 1) {
    n[mu] += by;
    return n;
  }

private:
  Site extents_;
  std::vector<double> links_;
};

} // namespace tasuki::test

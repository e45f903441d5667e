// Random numbers of the lattice. Each is identified by seed, site, purpose, number and draw, so that a field has the
// same bits on any number of ranks. Distributions use only +, -, *, / and square roots, so that host and GPU compute
// the same numbers.
#pragma once

#include <apps/wilson/lattice/lattice.hpp>
#include <tasuki/base/philox.hpp>

#include <cmath>
#include <cstring>

namespace tasuki::wilson {

// The counters by use, key = the run's seed, low word first:
//   {site, number, site >> 32, purpose << 28 | mu << 24 | draw}      site: x first over the whole lattice
// number: of the sweep, from 1; draw: below 2^24.
enum class Purpose : std::uint32_t { start = 0, heat_bath = 1, transformation = 2, source = 3 };

class Draws {
public:
  TS_HD Draws(std::uint64_t seed, std::uint64_t site, std::uint32_t number, Purpose purpose, int mu)
      : seed_(seed),
        base_{{static_cast<std::uint32_t>(site), number, static_cast<std::uint32_t>(site >> 32),
               static_cast<std::uint32_t>(purpose) << 28 | static_cast<std::uint32_t>(mu) << 24}} {}

  TS_HD Words operator()(std::uint32_t draw) const {
    Words counter = base_;
    counter.w[3] |= draw;
    return philox(counter, seed_);
  }

private:
  std::uint64_t seed_;
  Words base_;
};

// The index of the site of parity p in cell c, x first over the whole lattice.
template <class C>
TS_HD std::uint64_t site_number(const C& c, int p) {
  const long x = 2 * c[0] + x_bit(p, row_parity(c));
  return static_cast<std::uint64_t>(((c[3] * c.extent(2) + c[2]) * c.extent(1) + c[1]) * (2 * c.extent(0)) +
                                    x);
}

// Above 0 and below 1, in steps of 2^-32.
TS_HD double open_unit(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * 0x1p-32; }

// ln x for 2^-33 <= x <= 1, with a relative error of 1e-15: x = 2^e m, m between sqrt(1/2) and sqrt(2), and the series
// of the inverse hyperbolic tangent of (m - 1) / (m + 1).
TS_HD double log_of_unit(double x) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcdull;
  std::uint64_t bits;
  memcpy(&bits, &x, 8);
  bits -= root_half;
  const double e = static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(bits) >> 52));
  bits = (bits & 0x000fffffffffffffull) + root_half;
  double m;
  memcpy(&m, &bits, 8);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 2.0 / 21;
  p = fused(p, z, 2.0 / 19);
  p = fused(p, z, 2.0 / 17);
  p = fused(p, z, 2.0 / 15);
  p = fused(p, z, 2.0 / 13);
  p = fused(p, z, 2.0 / 11);
  p = fused(p, z, 2.0 / 9);
  p = fused(p, z, 2.0 / 7);
  p = fused(p, z, 2.0 / 5);
  p = fused(p, z, 2.0 / 3);
  return fused(e, 0.69314718055994530942, fused(p * z, s, 2.0 * s));
}

// Cosine and sine of 2 pi word / 2^32: by quadrants, and the series between -pi/4 and pi/4.
TS_HD void cos_sin_of_turn(std::uint32_t word, double& c, double& s) {
  const std::uint32_t quarter = (word + 0x20000000u) >> 30;
  const double a = static_cast<double>(static_cast<std::int32_t>(word - (quarter << 30))) *
                   (6.28318530717958647692 * 0x1p-32),
               z = a * a;
  double sine = -1.0 / 1307674368000; // 15!
  sine = fused(sine, z, 1.0 / 6227020800);
  sine = fused(sine, z, -1.0 / 39916800);
  sine = fused(sine, z, 1.0 / 362880);
  sine = fused(sine, z, -1.0 / 5040);
  sine = fused(sine, z, 1.0 / 120);
  sine = fused(sine, z, -1.0 / 6);
  sine = fused(sine * z, a, a);
  double cosine = 1.0 / 20922789888000; // 16!
  cosine = fused(cosine, z, -1.0 / 87178291200);
  cosine = fused(cosine, z, 1.0 / 479001600);
  cosine = fused(cosine, z, -1.0 / 3628800);
  cosine = fused(cosine, z, 1.0 / 40320);
  cosine = fused(cosine, z, -1.0 / 720);
  cosine = fused(cosine, z, 1.0 / 24);
  cosine = fused(cosine, z, -0.5);
  cosine = fused(cosine, z, 1.0);
  const bool swapped = (quarter & 1) != 0;
  const double c0 = swapped ? sine : cosine, s0 = swapped ? cosine : sine;
  c = ((quarter + 1) & 2) != 0 ? -c0 : c0;
  s = (quarter & 2) != 0 ? -s0 : s0;
}

// Four normal numbers of mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 610 (1958)).
struct Normals {
  double x[4];
};
TS_HD Normals normals(const Words& words) {
  Normals n{};
  for (int k = 0; k < 2; ++k) {
    const double r = sqrt(-2.0 * log_of_unit(open_unit(words.w[2 * k])));
    double c, s;
    cos_sin_of_turn(words.w[2 * k + 1], c, s);
    n.x[2 * k] = r * c;
    n.x[2 * k + 1] = r * s;
  }
  return n;
}

} // namespace tasuki::wilson

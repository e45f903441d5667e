// A pair of atoms: their distance in a periodic box, and their interaction.
//
// Coordinates are fractions of the box of 32 bits. Their difference wraps to the nearest image without operations, and
// it is exact, so that action and reaction are equal to the last bit. It is used in units of 2^-32 of an edge; powers
// of 1/r are computed in eighths of an edge, since other units would exceed the range of a float.
//
// With u = 1/r^2 the Lennard-Jones pair 4 epsilon (sigma^12 u^6 - sigma^6 u^3) is 4 epsilon sigma^12 u^3 (u^3 - 2b) and
// its force -dU/dr / r is 48 epsilon sigma^12 u^4 (u^3 - b), where b = 1/(2 sigma^6). Constant factors are multiplied
// once per atom.
#pragma once

#include <apps/argon/physics/system.hpp>
#include <tasuki/device/fast.hpp>

#include <cmath>
#include <cstdint>

namespace tasuki::argon {

inline constexpr float kEighth = 0x1p29f; // of an edge, in units of coordinates

// The difference of two coordinates along an axis, for the nearest image.
TS_HD float apart(std::uint32_t from, std::uint32_t to) {
  return static_cast<float>(static_cast<std::int32_t>(from - to));
}

// The coordinates of an atom, fractions of the box.
struct Place {
  std::uint32_t x, y, z;
};

// The parameters of the interaction, for any edge. kJ/mol, nm, g/mol.
struct Matter {
  double epsilon, sigma, mass, cutoff, shift; // shift: per pair
  double atoms;
  bool tail;

  TS_HD double sigma6(double edge) const { // sigma^6 in eighths of the edge
    const double s = 8 * sigma / edge, s3 = s * s * s;
    return s3 * s3;
  }
  // The factors of an atom's sums: kJ/mol/nm for u^4 (u^3 - b) d, and kJ/mol for u^3 (u^3 - 2b) and for u^3 (u^3 - b),
  // with every pair counted at both atoms.
  TS_HD double force(double edge) const {
    return 48 * epsilon * sigma6(edge) * sigma6(edge) / (edge * kEighth / 8);
  }
  TS_HD double energy(double edge) const { return 2 * epsilon * sigma6(edge) * sigma6(edge); }
  TS_HD double virial(double edge) const { return 24 * epsilon * sigma6(edge) * sigma6(edge); }
  // kJ/mol, of all pairs beyond the cut-off, for a uniform density; 0 without a tail correction.
  TS_HD double tail_energy(double edge) const {
    if (!tail) return 0;
    const double s3 = sigma * sigma * sigma, q = s3 / (cutoff * cutoff * cutoff);
    return 8.0 / 3 * 3.14159265358979323846 * epsilon * atoms * atoms * s3 / (edge * edge * edge) *
           (q * q * q / 3 - q);
  }
};

// The parameters of a pair for one edge of the box.
struct Scale {
  float b;
  std::uint32_t
      cutoff;  // its square in units of coordinates, as bits: positive floats are ordered like their bits
  float shift; // per pair, in the unit of sums of u^3 (u^3 - 2b)
};

TS_HD Scale scale_of(const Matter& m, double edge) {
  const double s6 = m.sigma6(edge), c = 8 * m.cutoff / edge;
  return {static_cast<float>(0.5 / s6), bits_of(static_cast<float>(c * c) * (kEighth * kEighth)),
          static_cast<float>(m.shift / (4 * m.epsilon * s6 * s6))};
}

// The sums of an atom over its neighbours: in every step, and when energies are measured.
struct Forces {
  static constexpr bool kEnergies = false;
  float x = 0, y = 0, z = 0;
};
struct ForcesAndEnergies {
  static constexpr bool kEnergies = true;
  float x = 0, y = 0, z = 0, energy = 0, virial = 0;
  float energy_lost = 0, virial_lost = 0; // rounding errors of the sums
};

// Kahan's summation: in a crystal all atoms have the same rounding errors, which would add up.
TS_HD void add_exactly(float& sum, float& lost, float x) {
  const float y = x - lost, t = sum + y;
  lost = (t - sum) - y;
  sum = t;
}

// Adds a neighbour at (dx, dy, dz), in units of coordinates. For the atom itself r2 = -1e-30, whose bits as an
// unsigned number exceed every cut-off, so it adds nothing. For other atoms, 1e-30 is below the rounding error.
template <class Sums>
TS_HD void add_pair(Sums& sums, const Scale& k, float dx, float dy, float dz) {
  const float r2 = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, -1e-30f)));
  const bool near = bits_of(r2) < k.cutoff;
  const float u = fast_reciprocal(r2) * (kEighth * kEighth), u2 = u * u, u4 = u2 * u2;
  const float any = u4 * fmaf(u2, u, -k.b), f = near ? any : 0.0f;
  sums.x = fmaf(f, dx, sums.x);
  sums.y = fmaf(f, dy, sums.y);
  sums.z = fmaf(f, dz, sums.z);
  if constexpr (Sums::kEnergies) {
    const float u3 = u2 * u;
    const float energy = fmaf(u3, fmaf(-2.0f, k.b, u3), k.shift), virial = u3 * (u3 - k.b);
    add_exactly(sums.energy, sums.energy_lost, near ? energy : 0.0f);
    add_exactly(sums.virial, sums.virial_lost, near ? virial : 0.0f);
  }
}

} // namespace tasuki::argon

// Normal random numbers from words by Box and Muller (Ann. Math. Stat. 29, 610 (1958)), with polynomials, so that the
// code is vectorised over atoms and results on host and GPU are nearly the same.
#pragma once

#include <apps/argon/physics/philox.hpp>
#include <tasuki/device/fast.hpp>

#include <cmath>

namespace tasuki::argon {

struct Normals {
  float x, y, z;
};

// ln x for 2^-24 <= x <= 1, with a relative error of 3e-8: x = 2^e (1 + t), 1 + t between sqrt(1/2) and sqrt(2).
TS_HD float log_of_unit(float x) {
  constexpr std::uint32_t root_half = 0x3f3504f3u;
  const std::uint32_t bits = bits_of(x) - root_half;
  const float e = static_cast<float>(static_cast<std::int32_t>(bits) >> 23);
  const float t = float_of((bits & 0x007fffffu) + root_half) - 1.0f;
  float p = 8.743957634e-02f;
  p = fmaf(p, t, -1.437734906e-01f);
  p = fmaf(p, t, 1.494909937e-01f);
  p = fmaf(p, t, -1.656069379e-01f);
  p = fmaf(p, t, 1.995697691e-01f);
  p = fmaf(p, t, -2.500215354e-01f);
  p = fmaf(p, t, 3.333418336e-01f);
  p = fmaf(p, t, -4.999998703e-01f);
  p = fmaf(p, t, 1.0f);
  return fmaf(e, 0.693147181f, t * p);
}

// Cosine and sine of 2 pi fraction / 2^32: by quadrants, and polynomials between -pi/4 and pi/4.
TS_HD void cos_sin_of_turn(std::uint32_t fraction, float& c, float& s) {
  const std::uint32_t quarter = (fraction + 0x20000000u) >> 30;
  const float a = static_cast<float>(static_cast<std::int32_t>(fraction - (quarter << 30))) * 1.46291808e-9f;
  const float z = a * a;
  const float sine =
      a * fmaf(fmaf(fmaf(-1.950396313e-04f, z, 8.332036330e-03f), z, -1.666665069e-01f), z, 1.0f);
  const float cosine =
      fmaf(fmaf(fmaf(fmaf(2.437988027e-05f, z, -1.388661860e-03f), z, 4.166661672e-02f), z, -0.5f), z, 1.0f);
  const bool swapped = (quarter & 1) != 0;
  c = float_of(bits_of(swapped ? sine : cosine) ^ (((quarter + 1) & 2) << 30));
  s = float_of(bits_of(swapped ? cosine : sine) ^ ((quarter & 2) << 30));
}

TS_HD Normals normals(const Words& words) {
  const float r = sqrtf(-2.0f * log_of_unit(unit_float(words.w[0])));
  const float q = sqrtf(-2.0f * log_of_unit(unit_float(words.w[2])));
  float c, s, d, unused;
  cos_sin_of_turn(words.w[1], c, s);
  cos_sin_of_turn(words.w[3], d, unused);
  return {r * c, r * s, q * d};
}

} // namespace tasuki::argon

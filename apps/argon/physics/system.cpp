#include <apps/argon/physics/system.hpp>

#include <tasuki/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tasuki::argon {
namespace {

constexpr double kClosest = 0.8;    // sigma, the closest accepted distance of neighbours in the crystal
constexpr double kUsualCutoff = 3;  // sigma
constexpr double kBreathing = 0.45; // of the edge, if the volume changes

void expect_positive(const char* what, double value, const char* unit) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(fmt::format("the {} is {} {}", what, value, unit), "give one above 0");
}

} // namespace

double Substance::time() const { return sigma * std::sqrt(mass / epsilon); }

System::System(const SystemOptions& options) : options_(options) {
  const Substance& s = options.substance;
  expect_positive("well's depth epsilon", s.epsilon, "kJ/mol");
  expect_positive("diameter sigma", s.sigma, "nm");
  expect_positive("mass", s.mass, "g/mol");
  expect_positive("density", options.density_g_cm3, "g/cm3");
  cells_ = static_cast<int>(std::lround(std::cbrt(static_cast<double>(options.atoms) / 4)));
  if (cells_ < 2 || cells_ > 8 || 4L * cells_ * cells_ * cells_ != options.atoms)
    throw Error(fmt::format("{} atoms fill no cube of an fcc crystal", options.atoms),
                "choose 4 a^3 of them: 32, 108, 256, 500, 864, 1372, 2048");
  box_ = std::cbrt(static_cast<double>(options.atoms) * s.mass / (options.density_g_cm3 * kAvogadro));
  const double neighbour = box_ / cells_ / std::numbers::sqrt2;
  if (neighbour < kClosest * s.sigma)
    throw Error(
        fmt::format("at {} g/cm3 neighbours of the crystal are {:.3f} nm apart, inside each other (sigma is "
                    "{} nm)",
                    options.density_g_cm3, neighbour, s.sigma),
        fmt::format("choose a density below {:.3g} g/cm3",
                    options.density_g_cm3 * std::pow(neighbour / (kClosest * s.sigma), 3)));
  if (options.cutoff_sigma) {
    expect_positive("cut-off", *options.cutoff_sigma, "sigma");
    cutoff_ = *options.cutoff_sigma * s.sigma;
    if (cutoff_ > box_ / 2)
      throw Error(
          fmt::format("a cut-off of {} sigma is {:.4f} nm, more than half of the box's edge of {:.4f} nm",
                      *options.cutoff_sigma, cutoff_, box_),
          fmt::format("choose {:.3f} sigma or less, or more atoms", box_ / 2 / s.sigma));
  } else {
    const double most = options.constant_pressure ? kBreathing * box_ : box_ / 2;
    cutoff_ = std::min(kUsualCutoff * s.sigma, most);
    if (cutoff_ == most)
      note_ = fmt::format(
          "the cut-off is {:.4f} nm = {:.3f} sigma, {} of the box's edge, where 3 sigma would be more",
          cutoff_, cutoff_ / s.sigma, options.constant_pressure ? "0.45" : "half");
  }
}

double System::tail_energy(double volume) const {
  if (options_.correction != Correction::tail) return 0;
  const Substance& s = options_.substance;
  const double n = static_cast<double>(options_.atoms), s3 = std::pow(s.sigma, 3),
               q = s3 / std::pow(cutoff_, 3);
  return 8.0 / 3 * std::numbers::pi * s.epsilon * n * n * s3 / volume * (q * q * q / 3 - q);
}

double System::tail_pressure(double volume) const {
  if (options_.correction != Correction::tail) return 0;
  const Substance& s = options_.substance;
  const double density = static_cast<double>(options_.atoms) / volume, s3 = std::pow(s.sigma, 3),
               q = s3 / std::pow(cutoff_, 3);
  return 16.0 / 3 * std::numbers::pi * density * density * s.epsilon * s3 * (2.0 / 3 * q * q * q - q) /
         kBarNm3;
}

double System::shift() const {
  if (options_.correction != Correction::shifted) return 0;
  const Substance& s = options_.substance;
  const double s6 = std::pow(s.sigma / cutoff_, 6);
  return -4 * s.epsilon * (s6 * s6 - s6);
}

std::vector<double> System::crystal() const {
  constexpr double kBasis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  std::vector<double> places;
  places.reserve(static_cast<std::size_t>(3 * options_.atoms));
  for (int z = 0; z < cells_; ++z)
    for (int y = 0; y < cells_; ++y)
      for (int x = 0; x < cells_; ++x)
        for (const auto& atom : kBasis)
          for (int axis = 0; axis < 3; ++axis)
            places.push_back(((axis == 0 ? x : axis == 1 ? y : z) + atom[axis]) / cells_);
  return places;
}

} // namespace tasuki::argon

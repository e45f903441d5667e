#include <apps/wilson/run/fields.hpp>

#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/gauge/unitary.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/number.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace tasuki::wilson {
namespace {

// Each configuration of a random start has a separate seed.
std::uint64_t seed_of(const Options& o, long c) {
  return static_cast<std::uint64_t>(o.seed) + static_cast<std::uint64_t>(c) * 0x9e3779b97f4a7c15u;
}

// Links of 32 bits are in SU(3) only to 1e-7.
void unitarise(std::vector<double>& links) {
  for (std::size_t at = 0; at < links.size(); at += kMatrixReals) {
    double* const from = &links[at];
    store_matrix(unitarised(load_matrix<double>([&](int k) { return from[k]; })),
                 [&](int k, double value) { from[k] = value; });
  }
}

} // namespace

std::string name_of(const Options& o, long c) {
  if (!o.generates()) return o.gauge[static_cast<std::size_t>(c)];
  if (o.start == "heatbath")
    return fmt::format("heat bath, beta {:.9g}, sweep {}", o.beta, o.sweeps_before(c));
  if (o.start == "weak") return fmt::format("weak field, width {:.9g}, number {}", o.width, c);
  return o.start == "random" ? fmt::format("random, number {}", c) : "unit";
}

Fields::Fields(const Lattice& lattice, const Options& options, RunFolder& folder)
    : options_(options), folder_(folder), gauge_(lattice) {}

bool Fields::heat(long wanted, const std::function<bool(long, long)>& after) {
  if (!bath_) {
    const auto seed = static_cast<std::uint64_t>(options_.seed);
    bath_ = std::make_unique<HeatBath>(gauge_, Coupling{options_.beta}, seed);
    sweeps_ = folder_.load_gauge(gauge_);
    if (sweeps_ < 0) {
      set_random(gauge_, seed); // a disordered start, so that insufficient thermalisation is visible
      sweeps_ = 0;
    }
  }
  if (sweeps_ > wanted)
    throw Error(fmt::format("{} is at sweep {}, behind the {} of the configuration that comes next",
                            folder_.at(RunFolder::gauge()), sweeps_, wanted),
                "put the file of this run there, or take it away");
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  const bool new_ones = sweeps_ < wanted;
  while (sweeps_ < wanted) {
    ++sweeps_;
    thermalise(*bath_, sweeps_, sweeps_, options_.over_relaxations);
    if (after(sweeps_, wanted) && sweeps_ < wanted) {
      folder_.save_gauge(gauge_, sweeps_);
      return false;
    }
    const double minutes = std::chrono::duration<double>(Clock::now() - saved).count() / 60;
    if (of_root(gauge_.world(), minutes) > options_.checkpoint_minutes) {
      folder_.save_gauge(gauge_, sweeps_);
      saved = Clock::now();
    }
  }
  if (new_ones) folder_.save_gauge(gauge_, sweeps_);
  return true;
}

void Fields::read(const std::string& path) {
  ReadOptions how;
  if (!options_.unitarity.empty()) how.unitarity = parse_number<double>(options_.unitarity, "--unitarity");
  Configuration file = read_configuration(gauge_.lattice(), path, how);
  gauge_.from_sites(file.links);
  check_plaquette(file.info, path, plaquette(gauge_).all);
  if (file.info.number_bytes == 8) return;
  unitarise(file.links);
  gauge_.from_sites(file.links);
}

bool Fields::make(long c, const std::function<bool(long, long)>& after) {
  const std::uint64_t seed = seed_of(options_, c);
  if (!options_.generates())
    read(options_.gauge[static_cast<std::size_t>(c)]);
  else if (options_.start == "unit")
    set_unit(gauge_);
  else if (options_.start == "random")
    set_random(gauge_, seed);
  else if (options_.start == "weak")
    set_weak(gauge_, options_.width, seed);
  else if (!heat(options_.sweeps_before(c), after))
    return false;
  measured_ = {plaquette(gauge_), polyakov(gauge_), check(gauge_).unitarity.value};
  return true;
}

void Fields::write(long c) const {
  if (options_.write_gauge.empty()) return;
  const std::string path = numbered(options_.write_gauge, c, options_.count());
  WriteOptions how;
  how.format = format_of_name(path);
  how.plaquette = measured_.plaquette.all;
  write_configuration(gauge_.lattice(), path, gauge_.to_sites(), how);
}

std::string zero_mode(const Options& o, const Measured& m) {
  if (std::abs(m.plaquette.all - 1) > 1e-12 || std::abs(m.polyakov - 1.0) > 1e-12) return "";
  const std::array<double, kAxes> thetas = o.thetas();
  for (const double theta : thetas)
    if (std::fmod(theta, 2) != 0) return ""; // no momentum along this axis is 0 or pi
  // 1 - 2 kappa (nu / xi (cos p_x + cos p_y + cos p_z) + cos p_t), each cosine 1 or -1
  for (const double space : {3.0, 1.0, -1.0, -3.0})
    for (const double time : {1.0, -1.0})
      if (std::abs(1 - 2 * o.kappa * (space * o.nu / o.anisotropy + time)) < 1e-12)
        return fmt::format(
            "at kappa {:.9g} the free field has a zero mode along periodic axes, so that M has no inverse",
            o.kappa);
  return "";
}

} // namespace tasuki::wilson

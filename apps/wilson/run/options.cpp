#include <apps/wilson/run/options.hpp>

#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/operator/action.hpp>
#include <apps/wilson/solver/krylov.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/settings.hpp>
#include <tasuki/job/job_options.hpp>
#include <tasuki/job/size.hpp>

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace tasuki::wilson {

namespace {

// Sites along x, y, z, t by the names that --size takes.
const job::Sizes kSizes = {kAxes,
                           2,
                           {{"XS", {4, 4, 4, 8}},
                            {"S", {8, 8, 8, 16}},
                            {"M", {16, 16, 16, 32}},
                            {"L", {32, 32, 32, 64}},
                            {"XL", {64, 64, 64, 128}}},
                           "--lattice"};

} // namespace

template <class Number>
std::array<Number, kAxes> by_axis(const std::string& text, const char* option) {
  std::string list = text;
  std::replace(list.begin(), list.end(), ' ', ',');
  const std::vector<Number> given = parse_list<Number>(list, ',', option);
  if (given.size() != kAxes)
    throw Error(fmt::format("{} has {} numbers", quoted(option, text), given.size()),
                fmt::format("give one an axis, x,y,z,t: {} 0,0,0,1", option));
  std::array<Number, kAxes> values{};
  std::copy(given.begin(), given.end(), values.begin());
  return values;
}
template std::array<long, kAxes> by_axis(const std::string&, const char*);
template std::array<double, kAxes> by_axis(const std::string&, const char*);

std::array<long, kAxes> Options::extents() const {
  const std::vector<long> given = parse_extents(lattice, "--lattice");
  if (given.size() != kAxes)
    throw Error(fmt::format("--lattice {} has {} axes", lattice, given.size()),
                "give XxYxZxT, such as 8x8x8x16");
  std::array<long, kAxes> n{};
  std::copy(given.begin(), given.end(), n.begin());
  for (std::size_t a = 0; a < n.size(); ++a)
    if (n[a] % 2 != 0 || n[a] < 2)
      throw Error(fmt::format("--lattice {}: {} sites along {} cannot be cut into even and odd ones", lattice,
                              n[a], "xyzt"[a]),
                  "use an even number along each axis");
  return n;
}

std::array<double, kAxes> Options::thetas() const { return by_axis<double>(phases, "--phases"); }
std::array<long, kAxes> Options::source_site() const { return by_axis<long>(at, "--at"); }

void Options::settle(bool lattice_given) {
  if (mass) {
    kappa = Action::kappa_of_mass(*mass, nu / anisotropy);
    if (!std::isfinite(kappa))
      throw Error(fmt::format("a mass of {:.9g} has no kappa", *mass), "give another --mass");
  }
  const auto from_root = [](std::string& file) {
    if (!file.empty()) file = std::filesystem::absolute(file).lexically_normal().string();
  };
  for (std::string* file : {&source_file, &propagator_file}) from_root(*file);
  for (std::string& file : gauge) from_root(file);
  if (gauge.empty() || lattice_given) return;
  const GaugeInfo info = inspect_configuration(gauge.front());
  if (!info.knows_extents())
    throw Error(gauge.front() + " does not say how large its lattice is", "give --lattice XxYxZxT");
  lattice = fmt::format("{}", fmt::join(info.extents, "x"));
}

void Options::check() const {
  for (const double theta : thetas())
    if (theta != std::floor(theta) && links != "18")
      throw Error(fmt::format("--links {} cannot hold the phase of --phases {}", links, phases),
                  "use --links 18, or phases that are whole numbers");
  const std::array<long, kAxes> site = source_site(), n = extents();
  for (std::size_t a = 0; a < n.size(); ++a)
    if (site[a] < 0 || site[a] >= n[a])
      throw Error(fmt::format("--at {}: {} = {} is not on a lattice of {}", at, "xyzt"[a], site[a], lattice),
                  fmt::format("use 0 to {}", n[a] - 1));
  if (kappa == 0) throw Error("--kappa 0 has no mass and moves nothing", "give another --kappa");
  if (generates() && start == "unit" && configurations > 1)
    throw Error(fmt::format("--start unit is one field, and --configurations asks for {}", configurations),
                "give --configurations 1");
  if (!write_gauge.empty()) format_of_name(write_gauge);
  if (!unitarity.empty()) {
    parse_number<double>(unitarity, "--unitarity", above(0));
  }
}

std::string numbered(const std::string& path, long configuration, long configurations) {
  if (configurations < 2) return path;
  const std::filesystem::path p(path);
  return (p.parent_path() /
          fmt::format("{}.{:04}{}", p.stem().string(), configuration, p.extension().string()))
      .string();
}

void add_options(OptionParser& line, Options& o) {
  constexpr long kMany = 1L << 40;
  const auto number = [&](const char* name, auto& value, auto low, auto high, const char* group,
                          const char* what) {
    using T = std::decay_t<decltype(value)>;
    line.add(name, value, what, {static_cast<T>(low), static_cast<T>(high)}).group(group);
  };
  const auto positive = [&](const char* name, double& value, const char* group, const char* what) {
    line.add(name, value, what, above(0)).group(group);
  };
  const auto word = [&](const char* name, std::string& value, const std::vector<std::string>& words,
                        const char* group,
                        const char* what) { line.choice(name, value, words, what).group(group); };
  const auto text = [&](const char* name, std::string& value, const char* group, const char* what) {
    line.add(name, value, what).group(group);
  };

  const char* field = "Gauge field";
  const auto resize = [&o](const std::vector<long>& n) { o.lattice = job::size_text(n); };
  job::add_size(line, kSizes, resize, o.lattice).group(field);
  line.add("--gauge", o.gauge,
           "files of gauge configurations (NERSC, ILDG, MILC, openQCD), measured one after another")
      .group(field);
  word("--start", o.start, {"heatbath", "unit", "random", "weak"}, field,
       "without a file: thermalised, all links 1, random links, or links near 1");
  number("--beta", o.beta, 0.0, 1e6, field, "coupling of the heat bath, 6 / g^2");
  number("--sweeps", o.sweeps, 0L, kMany, field, "heat-bath sweeps before the first configuration");
  number("--separation", o.separation, 1L, kMany, field, "heat-bath sweeps between configurations");
  number("--over-relaxations", o.over_relaxations, 0L, 100L, field,
         "over-relaxation sweeps after each heat-bath sweep");
  number("--configurations", o.configurations, 1L, 1L << 24, field, "number of generated configurations");
  number("--width", o.width, 0.0, 10.0, field,
         "width of the Gaussian su(3) algebra elements of --start weak");
  number("--seed", o.seed, 0L, (1L << 53) - 1, field, "seed of all random numbers");
  text("--unitarity", o.unitarity, field,
       "largest deviation of a file's links from SU(3) (default: by the precision of the format)");

  const char* quark = "Quark";
  number("--kappa", o.kappa, -1e3, 1e3, quark, "hopping parameter");
  line.add("--mass", o.mass, "bare mass instead of kappa: kappa = 1 / (8 + 2 m) if isotropic", {-1e3, 1e6})
      .excludes("--kappa")
      .group(quark);
  text("--phases", o.phases, quark,
       "theta of x,y,z,t: psi(x + L) = exp(i pi theta) psi(x); 0: periodic, 1: antiperiodic");
  word("--norm", o.norm, {"kappa", "mass"}, quark, "M = 1 - kappa H, or (4 + m) - H / 2");
  positive("--anisotropy", o.anisotropy, quark, "xi: spatial hops are multiplied by nu / xi");
  positive("--nu", o.nu, quark, "nu: see --anisotropy");

  const char* source = "Source";
  word("--source", o.source, {"point", "wall", "gaussian"}, source,
       "source on one site, on one time slice, or smeared around a site");
  text("--at", o.at, source, "site of the source, x,y,z,t; for wall only t is used");
  positive("--source-width", o.source_width, source, "width of the gaussian source in sites");
  number("--source-steps", o.source_steps, 1L, 1L << 20, source,
         "diffusion steps that smear the gaussian source");

  text("--source-file", o.source_file, source,
       "read the 12 sources from a propagator file: FILE.lime (SciDAC) or FILE.h5 (HDF5); for several "
       "configurations FILE.0000.lime and so on");
  text("--propagator-file", o.propagator_file, source,
       "read the propagator of another run from such a file instead of solving; --at is its source");

  const char* solver = "Solver";
  word("--method", o.method, {"bicgstab", "cg"}, solver,
       "iterative solver; cg: conjugate gradients on the normal equations");
  word("--inner", o.inner, {"double", "single", "half"}, solver,
       "precision of the inner iterations; residual and solution are double");
  word("--links", o.links, {"18", "12", "8"}, solver,
       "stored numbers per link; the others are reconstructed");
  number("--tolerance", o.tolerance, 1e-15, 0.1, solver, "relative residual to reach, |b - M x| / |b|");
  number("--most-iterations", o.most_iterations, 1L, 1L << 30, solver, "most iterations per column");
  number("--columns", o.columns, 0L, long{kMostColumns}, solver,
         "columns of a propagator that are solved together; 0: as many as fit. Results are bit-identical");

  const char* run = "Run";
  line.add("--folder", o.folder, "folder of all output (default: results/wilson-TIME)").group(run);
  line.add("--resume", o.resume, "continue the run of --folder with its options").group(run);
  line.add("--write-gauge", o.write_gauge, "write the configurations to FILE.lime (ILDG) or FILE.nersc")
      .group(run);
  word("--propagators", o.propagators, {"none", "lime", "hdf5"}, run,
       "write the propagators into the folder: SciDAC, or HDF5 for h5py");
  positive("--checkpoint-minutes", o.checkpoint_minutes, run, "minutes between checkpoints of the heat bath");
  line.add("--dry-run", o.dry_run, "print the memory that the run needs, and end").group(run);
  line.add("--record", o.record, "also write the result record (JSON) to this file")
      .variable("TASUKI_RECORD")
      .group(run);
}

namespace {

const job::JobOptions<Options>& job_options() {
  static const job::JobOptions<Options> job = {"tasuki-wilson-job",
                                               {{"lattice", &Options::lattice},
                                                {"gauge", &Options::gauge},
                                                {"start", &Options::start},
                                                {"beta", &Options::beta},
                                                {"sweeps", &Options::sweeps},
                                                {"separation", &Options::separation},
                                                {"over-relaxations", &Options::over_relaxations},
                                                {"width", &Options::width},
                                                {"seed", &Options::seed},
                                                {"unitarity", &Options::unitarity},
                                                {"kappa", &Options::kappa},
                                                {"phases", &Options::phases},
                                                {"norm", &Options::norm},
                                                {"anisotropy", &Options::anisotropy},
                                                {"nu", &Options::nu},
                                                {"source", &Options::source},
                                                {"at", &Options::at},
                                                {"source-width", &Options::source_width},
                                                {"source-steps", &Options::source_steps},
                                                {"source-file", &Options::source_file},
                                                {"propagator-file", &Options::propagator_file},
                                                {"method", &Options::method},
                                                {"inner", &Options::inner},
                                                {"links", &Options::links},
                                                {"tolerance", &Options::tolerance},
                                                {"most-iterations", &Options::most_iterations},
                                                {"write-gauge", &Options::write_gauge},
                                                {"propagators", &Options::propagators}},
                                               {{"configurations", &Options::configurations},
                                                {"columns", &Options::columns},
                                                {"checkpoint-minutes", &Options::checkpoint_minutes}}};
  return job;
}

} // namespace

void take_options(const std::string& text, const OptionParser& line, Options& options) {
  job_options().take(text, line, options);
}

std::string job_text(Options options) {
  job::Json json = job::job_json(job_options().format, job_options().fixed_of(options));
  job::put_part(json, job_options().part_of(options));
  return json.dump(2) + "\n";
}

double fingerprint(Options options) {
  return job::fingerprint(job::job_json(job_options().format, job_options().fixed_of(options)).dump());
}

} // namespace tasuki::wilson

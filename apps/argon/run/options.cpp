#include <apps/argon/run/options.hpp>

#include <apps/argon/run/sizes.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/json_number.hpp>
#include <tasuki/job/job_options.hpp>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace tasuki::argon {
namespace {

constexpr long kMostReplicas = (1L << 31) - 2;

const job::JobOptions<Options>& job_options() {
  static const job::JobOptions<Options> job = {"tasuki-argon-job",
                                               {{"epsilon", &Options::epsilon},
                                                {"sigma", &Options::sigma},
                                                {"mass", &Options::mass},
                                                {"atoms", &Options::atoms},
                                                {"density", &Options::density},
                                                {"cutoff", &Options::cutoff},
                                                {"correction", &Options::correction},
                                                {"start", &Options::start},
                                                {"dt", &Options::dt},
                                                {"thermostat", &Options::thermostat},
                                                {"friction", &Options::friction},
                                                {"coupling", &Options::coupling},
                                                {"barostat-every", &Options::barostat_every},
                                                {"replicas", &Options::replicas},
                                                {"tmin", &Options::tmin},
                                                {"tmax", &Options::tmax},
                                                {"ladder", &Options::ladder},
                                                {"temperatures", &Options::temperatures},
                                                {"pressures", &Options::pressures},
                                                {"mixing", &Options::mixing},
                                                {"gibbs-trials", &Options::gibbs_trials},
                                                {"exchange-every", &Options::exchange_every},
                                                {"seed", &Options::seed},
                                                {"trajectory", &Options::trajectory},
                                                {"trajectory-every", &Options::trajectory_every}},
                                               {{"steps", &Options::steps},
                                                {"checkpoint-every", &Options::checkpoint_every},
                                                {"checkpoint-minutes", &Options::checkpoint_minutes},
                                                {"verify", &Options::verify},
                                                {"on-nan", &Options::on_nan}}};
  return job;
}

job::Json fixed_json(Options options, const Ladder& ladder) {
  job::Json json = job::job_json(job_options().format, job_options().fixed_of(options));
  json["temperatures_K"] = ladder.temperatures;
  json["pressures_bar"] = ladder.pressures;
  return json;
}

} // namespace

void add_options(OptionParser& line, Options& o) {
  constexpr long kMany = 1L << 40;
  const auto number = [&](const char* name, auto& value, auto low, auto high, const char* group,
                          const char* what) {
    using T = std::decay_t<decltype(value)>;
    return line.add(name, value, what, {static_cast<T>(low), static_cast<T>(high)}).group(group);
  };
  const auto positive = [&](const char* name, double& value, const char* group, const char* what) {
    line.add(name, value, what, above(0)).group(group);
  };
  const auto word = [&](const char* name, std::string& value, const std::vector<std::string>& words,
                        const char* group,
                        const char* what) { line.choice(name, value, words, what).group(group); };
  const char* system = "System";
  const auto resize = [&o](const std::vector<long>& n) { o.atoms = n[0], o.replicas = n[1]; };
  job::add_size(line, kSizes, resize, job::size_text({o.atoms, o.replicas}, kSizes)).group(system);
  number("--atoms", o.atoms, 4L, 1L << 31, system,
         "atoms of a replica, 4 a^3 (32, 108, 256, 500, 864, 1372, 2048 ..)")
      .excludes("--size");
  positive("--density", o.density, system, "density, g/cm3");
  positive("--cutoff", o.cutoff, system,
           "cut-off radius in sigma (default: 3, or half of the box's edge if that is less)");
  word("--correction", o.correction, {"cut", "shifted", "tail"}, system,
       "potential at the cut-off: truncated, shifted to 0, or with a tail correction");
  word("--start", o.start, {"fcc", "half", "liquid"}, system,
       "initial state: a crystal, half crystal and half liquid, or a liquid");
  positive("--epsilon", o.epsilon, system, "depth of the potential, kJ/mol (default: argon)");
  positive("--sigma", o.sigma, system, "diameter of an atom, nm (default: argon)");
  positive("--mass", o.mass, system, "mass of an atom, g/mol (default: argon)");

  const char* dynamics = "Dynamics";
  positive("--dt", o.dt, dynamics, "time step, fs");
  word("--thermostat", o.thermostat, {"langevin", "nose-hoover", "rescaling", "none"}, dynamics,
       "thermostat of each replica");
  positive("--friction", o.friction, dynamics, "friction of langevin, 1/ps");
  positive("--coupling", o.coupling, dynamics, "coupling time of nose-hoover and rescaling, ps");
  number("--barostat-every", o.barostat_every, 1L, 1L << 30, dynamics,
         "steps between trial changes of the volume");
  number("--seed", o.seed, 0L, (1L << 53) - 1, dynamics, "seed of all random numbers");

  const char* ladder = "Ladder";
  number("--replicas", o.replicas, 1L, kMostReplicas, ladder,
         "number of replicas, one per state: temperatures x pressures")
      .excludes("--size");
  positive("--tmin", o.tmin, ladder, "lowest temperature, K");
  positive("--tmax", o.tmax, ladder, "highest temperature, K");
  word("--ladder", o.ladder, {"geometric", "linear", "even"}, ladder,
       "spacing of the temperatures; even: equal acceptance, found by a short run");
  line.add("--temperatures", o.temperatures,
           "the temperatures themselves, K: a list, or a file that holds one")
      .group(ladder);
  line.add("--pressures", o.pressures, "constant pressures, bar: a list, or a file that holds one")
      .group(ladder);
  number("--exchange-every", o.exchange_every, 1L, kMany, ladder, "steps between exchanges");
  word("--mixing", o.mixing, {"neighbours", "gibbs"}, ladder,
       "pairs that try to exchange: neighbours, or any two (Gibbs sampling)");
  number("--gibbs-trials", o.gibbs_trials, 0L, kMany, ladder,
         "pairs per exchange of gibbs; 0: the lesser of R^2 and 8 R for R replicas");

  const char* run = "Run";
  number("--steps", o.steps, 1L, kMany, run,
         "number of the last step; with --resume, counted from the first run's start");
  line.add("--folder", o.folder, "folder of all output (default: results/argon-TIME)").group(run);
  line.add("--resume", o.resume, "continue the run of --folder from its checkpoint, with its options")
      .group(run);
  number("--checkpoint-every", o.checkpoint_every, 0L, kMany, run,
         "steps between checkpoints; 0: use --checkpoint-minutes");
  positive("--checkpoint-minutes", o.checkpoint_minutes, run, "minutes between checkpoints");
  line.add("--trajectory", o.trajectory,
           "frames of replicas (replicas:0,5) or of states (temperatures:0,5), or none")
      .group(run);
  number("--trajectory-every", o.trajectory_every, 1L, kMany, run, "steps between frames");
  number("--verify", o.verify, 0.0, 1.0, run,
         "share of the intervals that a second device repeats, to compare the results");
  word("--on-nan", o.on_nan, {"stop", "continue"}, run,
       "if a replica becomes unstable (NaN or far too hot): stop, or continue without it");
  line.add("--dry-run", o.dry_run, "print the memory and disk space that the run needs, and end").group(run);
  line.add("--record", o.record, "also write the result record (JSON) to this file")
      .variable("TASUKI_RECORD")
      .group(run);
}

SystemOptions Options::system() const {
  SystemOptions s;
  s.substance = {epsilon, sigma, mass};
  s.atoms = atoms;
  s.density_g_cm3 = density;
  if (cutoff > 0) s.cutoff_sigma = cutoff;
  s.correction = correction == "tail"      ? Correction::tail
                 : correction == "shifted" ? Correction::shifted
                                           : Correction::cut;
  s.constant_pressure = !pressures.empty();
  return s;
}

Dynamics Options::dynamics() const {
  Dynamics d;
  d.timestep_ps = dt * 1e-3;
  d.thermostat = thermostat == "none"          ? Thermostat::none
                 : thermostat == "nose-hoover" ? Thermostat::nose_hoover
                 : thermostat == "rescaling"   ? Thermostat::rescaling
                                               : Thermostat::langevin;
  d.friction_per_ps = friction;
  d.coupling_ps = coupling;
  d.barostat_every = narrow<int>(barostat_every, "--barostat-every");
  d.seed = static_cast<std::uint64_t>(seed);
  return d;
}

Start Options::start_kind() const {
  return start == "half" ? Start::half : start == "liquid" ? Start::liquid : Start::fcc;
}

Ladder Options::make_ladder() const {
  const std::vector<double> bars =
      pressures.empty() ? std::vector<double>{} : given(pressures, "--pressures");
  const long width = bars.empty() ? 1 : static_cast<long>(bars.size());
  if (!temperatures.empty()) {
    Ladder made(given(temperatures, "--temperatures"), bars);
    if (made.states() != replicas)
      throw Error(fmt::format("the ladder has {} states for {} replicas", made.states(), replicas),
                  fmt::format("give --replicas {}", made.states()));
    return made;
  }
  if (replicas % width != 0)
    throw Error(fmt::format("{} replicas do not share out over {} pressures", replicas, width),
                fmt::format("give --replicas {}", (replicas / width + 1) * width));
  const int rungs = narrow<int>(replicas / width, "the number of temperatures");
  if (rungs > 1 && !(tmax > tmin))
    throw Error(fmt::format("the ladder does not increase: --tmin {:.9g} and --tmax {:.9g}", tmin, tmax),
                "give a --tmax above --tmin");
  return {ladder == "linear" ? linear(tmin, tmax, rungs) : geometric(tmin, tmax, rungs), bars};
}

void Options::check() const {
  if (steps % exchange_every != 0)
    throw Error(fmt::format("--steps {} is no multiple of --exchange-every {}", steps, exchange_every),
                fmt::format("give --steps {}", (steps / exchange_every + 1) * exchange_every));
  if (checkpoint_every % exchange_every != 0)
    throw Error(
        fmt::format("--checkpoint-every {} is no multiple of --exchange-every {}", checkpoint_every,
                    exchange_every),
        fmt::format("give --checkpoint-every {}", (checkpoint_every / exchange_every + 1) * exchange_every));
  if (trajectory != "none" && trajectory_every % exchange_every != 0)
    throw Error(
        fmt::format("--trajectory-every {} is no multiple of --exchange-every {}", trajectory_every,
                    exchange_every),
        fmt::format("give --trajectory-every {}", (trajectory_every / exchange_every + 1) * exchange_every));
  if (replicas > kMostReplicas)
    throw Error(fmt::format("{} replicas are more than can be numbered", replicas), "use fewer");
  if (exchange_every > (1L << 30))
    throw Error(fmt::format("--exchange-every {} is too long", exchange_every), "exchange more often");
  if (thermostat == "none" && replicas > 1)
    throw Error("--thermostat none holds no temperature, so replicas cannot exchange theirs",
                "use --replicas 1 with it, or a thermostat");
}

void fit_replicas(const OptionParser& line, Options& options) {
  if (line.given("--replicas") || line.given("--size")) return;
  if (!options.temperatures.empty())
    options.replicas = static_cast<long>(given(options.temperatures, "--temperatures").size());
  if (!options.pressures.empty())
    options.replicas *= static_cast<long>(given(options.pressures, "--pressures").size());
}

std::string to_json(const Options& options, const Ladder& ladder) {
  return fixed_json(options, ladder).dump(2) + "\n";
}

std::string job_json(const Options& options, const Ladder& ladder) {
  job::Json json = fixed_json(options, ladder);
  Options part = options;
  job::put_part(json, job_options().part_of(part));
  return json.dump(2) + "\n";
}

void take_options(const std::string& text, const OptionParser& line, Options& options) {
  const std::vector<long> asked = {options.atoms, options.replicas};
  job_options().take(text, line, options);
  const std::vector<long> had = {options.atoms, options.replicas};
  if (line.given("--size") && asked != had)
    throw Error(fmt::format("--size {}, but the run in {} was begun with {}", job::size_text(asked, kSizes),
                            options.folder, job::size_text(had, kSizes)),
                "leave the option out, or begin another run in another folder");
}

Ladder ladder_of(const std::string& text) {
  const job::Json json = job::parse_job(text, job_options().format);
  const auto values = [&](const char* name) {
    std::vector<double> list;
    for (const job::Json& value : json.at(name))
      list.push_back(json_number<double>(value, std::string("job.json is damaged: ") + name));
    return list;
  };
  try {
    return {values("temperatures_K"), values("pressures_bar")};
  } catch (const nlohmann::json::exception&) {
    throw Error("job.json is damaged", "begin another run in another folder");
  }
}

} // namespace tasuki::argon

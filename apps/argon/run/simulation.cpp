#include <apps/argon/run/simulation.hpp>

#include <tasuki/base/on_all.hpp>
#include <tasuki/job/job_options.hpp>
#include <tasuki/job/stopwatch.hpp>
#include <tasuki/run/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace tasuki::argon {
namespace {

using job::Stopwatch;
using Clock = std::chrono::steady_clock;

// The flags that ranks exchange together with their energies.
enum Flag { kStop = 1, kCheckpoint = 2, kFlush = 4 };

constexpr double kFlushSeconds = 1;
constexpr std::size_t kDumps = 5; // the most atom files of failed replicas that one interval writes
constexpr std::size_t kFlushBytes = std::size_t(64) << 20;

// Creates the file; for a resumed run, keeps it and adjusts the number of its rows.
void make_rows(const std::string& path, const RowLayout& layout, bool keep) {
  if (keep)
    fit_rows(path, layout);
  else
    RowFile::create(path, layout);
}

} // namespace

Simulation::Simulation(World& world, const Options& options, const System& system, const Ladder& ladder,
                       RunFolder& folder, const Machine& machine)
    : world_(world),
      options_(options),
      folder_(folder),
      fingerprint_(job::fingerprint(to_json(options, ladder))),
      parts_(world, options, system, ladder),
      frames_(parse_frames(options.trajectory, ladder.states())),
      verify_(world, options.verify, static_cast<std::uint64_t>(options.seed)) {
  begin_or_resume();
  open_files(machine);
  if (saved_ < 0) checkpoint(); // from now on the run can be resumed, and the disk space is tested
}

void Simulation::begin_or_resume() {
  if (!options_.resume || !folder_.has("checkpoint.h5")) return parts_.replicas.start(options_.start_kind());
  Standing standing = folder_.load(parts_.replicas, fingerprint_);
  parts_.interval = standing.interval;
  parts_.exchange.restore(std::move(standing.exchange));
  parts_.held = std::move(standing.held);
  if (parts_.held.size() != parts_.exchange.now().state.size())
    throw Error(folder_.path() + " holds the states of another number of replicas",
                "use the folder of this run");
  parts_.set_conditions();
  saved_ = step();
  if (step() > options_.steps)
    throw Error(
        fmt::format("{} is at step {}, and the run ends at step {}", folder_.path(), step(), options_.steps),
        fmt::format("give --steps more than {}", step()));
}

void Simulation::open_files(const Machine& machine) {
  const System& system = parts_.replicas.system();
  const long rows = options_.intervals(), frames = options_.steps / options_.trajectory_every;
  const RowLayout results = results_layout(options_, system, parts_.exchange, machine, rows);
  const RowLayout trajectory = trajectory_layout(frames_, options_, system, machine.version, frames);
  on_root(world_, [&] {
    make_rows(folder_.results(), results, parts_.interval > 0);
    if (!frames_.numbers.empty()) make_rows(folder_.trajectory(), trajectory, parts_.interval > 0);
  });
  results_.emplace(world_, folder_.results(), results, parts_.interval, system.constant_pressure());
  trajectory_.emplace(world_, folder_.trajectory(), frames_, trajectory, step() / options_.trajectory_every);
}

// Reports a replica without a finite energy, and writes its atoms to a file for inspection.
void Simulation::expect_finite() {
  std::vector<long> broken;
  for (long r = 0; r < parts_.exchange.replicas(); ++r)
    if (!std::isfinite(parts_.potential[static_cast<std::size_t>(r)]) && !parts_.exchange.lost(r))
      broken.push_back(r);
  if (broken.empty()) return;
  const long at = (parts_.interval + 1) * options_.exchange_every;
  const auto name = [&](long r) { return fmt::format("broken-replica-{}-step-{}.h5", r, at); };
  const Replicas& replicas = parts_.replicas;
  on_all(world_, [&] {
    for (std::size_t k = 0; k < std::min(broken.size(), kDumps); ++k) {
      const long r = broken[k];
      if (r < replicas.first() || r >= replicas.first() + replicas.owned()) continue;
      RowFile::create(folder_.at(name(r)),
                      {{{"/", {{"replica", r}, {"step", at}, {"box_nm", replicas.box(r)}}}},
                       {{"/position_nm", {options_.atoms, 3}, replicas.positions(r)},
                        {"/velocity_nm_ps", {options_.atoms, 3}, replicas.velocities(r)}},
                       {}});
    }
  });
  std::string who;
  for (std::size_t k = 0; k < broken.size() && k < 5; ++k) who += (k ? ", " : "") + std::to_string(broken[k]);
  if (broken.size() > 5) who += fmt::format(" and {} more", broken.size() - 5);
  const long first = broken.front();
  const int state = parts_.exchange.state_of(first);
  const std::string what = fmt::format("replica {} has burst by step {} ({:.6g} K{}); its atoms are in {}",
                                       who, at, parts_.exchange.ladder().temperature(state),
                                       broken.size() > 1 ? " the first" : "", folder_.at(name(first)));
  if (options_.on_nan == "stop") {
    results_->flush(parts_.exchange, true);
    throw Error(
        what, "lower --dt, or leave such replicas out by --on-nan continue; the checkpoint before is whole");
  }
  for (const long r : broken) parts_.exchange.lose(r);
  const std::vector<char>& lost = parts_.exchange.now().lost;
  if (std::all_of(lost.begin(), lost.end(), [](char gone) { return gone != 0; }))
    throw Error(what + ", and no replica is left", "lower --dt, and begin another run");
  if (world_.rank() == 0) std::fprintf(stderr, "tasuki: %s; the others go on without it\n", what.c_str());
}

// Stores the row of the last interval, after the next one was launched, so that this work takes no additional time.
void Simulation::keep_row() {
  if (!row_waits_) return;
  results_->add(step(), parts_.exchange.now().state, parts_.potential, parts_.volume, parts_.mine);
  row_waits_ = false;
}

// Writes all rows to the disk before the checkpoint of the same step.
void Simulation::checkpoint() {
  keep_row();
  results_->flush(parts_.exchange, true);
  trajectory_->sync();
  if (saved_ == step()) return;
  folder_.save(parts_.replicas, {parts_.interval, parts_.exchange.now(), parts_.held}, step(), fingerprint_);
  saved_ = step();
}

SimulationReport Simulation::run() {
  const long last = options_.intervals(), every = options_.exchange_every;
  const double ns_per_step = static_cast<double>(options_.replicas) * options_.dynamics().timestep_ps * 1e-3;
  ProgressView view({"argon", ns_per_step, "ns", "day"}, world_.settings().progress, world_.rank() == 0,
                    step(), options_.steps);
  SimulationReport report;
  report.first_step = step();
  double &advance = report.phases["advance"], &exchange = report.phases["exchange"],
         &output = report.phases["output"], &verify = report.phases["verify"],
         &saving = report.phases["checkpoint"];
  const auto begun = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  double flushed = 0, saved = 0;

  while (parts_.interval < last) {
    if (verify_.wanted()) {
      const Stopwatch watch(verify);
      verify_.before(parts_.interval, parts_.replicas, parts_.conditions, parts_.factors);
    }
    {
      const Stopwatch watch(advance);
      parts_.advance();
    }
    if (row_waits_) { // while the device is busy
      const Stopwatch watch(output);
      keep_row();
    }
    if (parts_.flags & kFlush) {
      const Stopwatch watch(output);
      results_->flush(parts_.exchange, false);
      flushed = seconds();
    }
    {
      const Stopwatch watch(advance);
      parts_.measure();
    }
    verify_.flip(parts_.interval, parts_.replicas);
    if (verify_.wanted()) {
      const Stopwatch watch(verify);
      for (const std::string& line :
           verify_.after(parts_.replicas, parts_.mine, parts_.interval * every, static_cast<int>(every)))
        std::fprintf(stderr, "tasuki: %s\n", line.c_str());
    }
    {
      const Stopwatch watch(exchange);
      int flag = world_.interrupted() ? kStop : 0;
      if (world_.rank() == 0) { // only the clock of rank 0 decides
        if (seconds() - saved > 60 * options_.checkpoint_minutes) flag |= kCheckpoint;
        const std::size_t row_bytes = 28 * static_cast<std::size_t>(options_.replicas);
        if (seconds() - flushed > kFlushSeconds || results_->waiting() * row_bytes > kFlushBytes)
          flag |= kFlush;
      }
      parts_.gather(flag);
      expect_finite();
      parts_.decide();
    }
    row_waits_ = true;
    if (step() % options_.trajectory_every == 0) {
      const Stopwatch watch(output);
      trajectory_->add(parts_.replicas, parts_.exchange);
    }
    report.interrupted = (parts_.flags & kStop) && parts_.interval < last;
    const bool due = options_.checkpoint_every > 0 && step() % options_.checkpoint_every == 0;
    if ((due || (parts_.flags & kCheckpoint)) && !report.interrupted && parts_.interval < last) {
      const Stopwatch watch(saving);
      checkpoint();
      saved = flushed = seconds();
      parts_.flags = 0;
    }
    if (report.interrupted) break;
    view.note(fmt::format("acceptance {:.2f}", parts_.exchange.acceptance()));
    view.show(step(), seconds());
  }
  {
    const Stopwatch watch(saving);
    checkpoint();
  }
  report.seconds = seconds();
  report.last_step = step();
  view.finish(step(), report.seconds);
  Gather gather(world_, 2);
  const std::vector<double>& counts =
      gather({static_cast<double>(verify_.verified()), static_cast<double>(verify_.differed())});
  for (std::size_t r = 0; r + 1 < counts.size(); r += 2) {
    report.verified += static_cast<long>(counts[r]);
    report.differed += static_cast<long>(counts[r + 1]);
  }
  return report;
}

} // namespace tasuki::argon

#include <tasuki/device/memory.hpp>
#include <tasuki/file/xdmf.hpp>
#include <tasuki/job/checksum.hpp>
#include <tasuki/job/job.hpp>
#include <tasuki/job/space_results.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace tasuki::job {

namespace {

// Checks the output files before the first step, so that no error occurs only after the last.
std::unique_ptr<Outputs> outputs_of(World& world, const CommonOptions& o) {
  const std::pair<const char*, const std::string&> stored[] = {
      {"--checkpoint", o.checkpoint}, {"--restart", o.restart}, {"--snapshot", o.snapshot}};
  for (const auto& [option, path] : stored)
    if (!path.empty() && hdf5_version().empty())
      throw Error(fmt::format("{} needs HDF5, which this build has not", option),
                  fmt::format("leave {} out, or install HDF5 and build again", option));
  // The checkpoint may have the same path as the restart file.
  return std::make_unique<Outputs>(
      world,
      Outputs::Named{{"--record", o.record},
                     {"--checkpoint", o.checkpoint},
                     {"--snapshot", o.snapshot},
                     {"--snapshot", o.snapshot.empty() ? "" : xdmf_path(o.snapshot)}},
      std::vector<std::string>{o.restart == o.checkpoint ? "" : o.restart});
}

} // namespace

Job::Job(World& world, const CommandLine& line)
    : world_(world), program_(line.program), common_(line.common), outputs_(outputs_of(world, common_)) {}

long Job::restore() const {
  const FileInfo info = load(common_.restart, state_);
  for (const auto& [name, value] : fixed) {
    const auto found = info.values.find(name);
    if (found != info.values.end() && found->second != value)
      throw Error(fmt::format("{} was written by a run with another {}", common_.restart, name),
                  fmt::format("run with the same --{}, or use another checkpoint", name));
  }
  if (info.step >= common_.times)
    throw Error(fmt::format("{} is of step {}, and the run ends at step {}", common_.restart, info.step,
                            common_.times),
                fmt::format("give --times more than {}", info.step));
  return info.step;
}

void Job::save(const std::string& path, const char* kind, const std::vector<AnyField>& fields,
               long step) const {
  tasuki::save(path, kind, fields, step, fixed);
}

RunReport Job::run(const Steps& steps) {
  state_ = steps.state;
  const long done = common_.restart.empty() ? steps.done : restore();
  const auto write_checkpoint = [&](long step) {
    if (saved_ != step) save(common_.checkpoint, "checkpoint", state_, step);
    saved_ = step;
  };

  Items items = steps.step;
  if (common_.checkpoint_every)
    for (const Item& item : every(common_.checkpoint_every, call(write_checkpoint))) items.push_back(item);
  const Program program(items);
  const RunReport report = tasuki::run(program, {.times = common_.times - done,
                                                 .until = steps.until,
                                                 .monitor = steps.monitor,
                                                 .done = done,
                                                 .progress = steps.progress});

  step_ = done + report.steps;
  last_step_done_ = !report.interrupted;
  if (!common_.checkpoint.empty()) write_checkpoint(step_);
  if (report.interrupted && world_.rank() == 0) {
    if (common_.checkpoint.empty())
      std::fprintf(stderr, "tasuki: interrupted after step %ld; give --checkpoint FILE to be able to go on\n",
                   step_);
    else
      std::fprintf(stderr, "tasuki: interrupted after step %ld; go on with --restart %s\n", step_,
                   common_.checkpoint.c_str());
  }
  if (!common_.snapshot.empty()) save(common_.snapshot, "snapshot", {state_.front()}, step_);
  return report;
}

namespace {

// "halo 4, predicted 12.3 us a step (overlapped); 1: 15 us, 3: 12.6 us, 5: 12.4 us": the choice, and depths beside it.
std::string describe(const HaloChoice& halo) {
  std::vector<std::string> others;
  for (const auto& [depth, seconds] : halo.seconds) {
    const bool least = depth == halo.seconds.upper_bound(0)->first;
    if (depth != halo.depth && (std::abs(depth - halo.depth) == 1 || least || depth == kDirectHalo))
      others.push_back(fmt::format("{}: {:.3g} us", halo_text(depth), seconds * 1e6));
  }
  return fmt::format("halo {}, predicted {:.3g} us a step ({}){}{}", halo_text(halo.depth),
                     halo.seconds.at(halo.depth) * 1e6, halo.executor, others.empty() ? "" : "; ",
                     fmt::join(others, ", "));
}

} // namespace

void Job::finish(const RunReport& report, const Merit& merit, Values results) {
  GridCore& grid = state_.front().core()->grid();
  Record record;
  record.program = program_;
  record.machine = machine_info(world_, world_.part<Device>());
  record.build = build_info();
  record.options = option_values(world_.settings());
  record.options.merge(Values{{"times", common_.times},
                              {"checkpoint", common_.checkpoint},
                              {"checkpoint_every", common_.checkpoint_every},
                              {"restart", common_.restart},
                              {"snapshot", common_.snapshot}});
  for (const auto& [name, value] : options) record.options[name] = value;
  record.grid = grid_info(grid);
  record.run = {report.executor, report.steps, report.seconds, report.interrupted, report.phases, {}, {}};
  record.run.tried = report.tried;
  record.run.brought = report.streamed.brought;
  record.run.taken = report.streamed.taken;
  const ChosenHalo& halo = grid.chosen_halo();
  if (halo) record.run.halos = halo->seconds;
  for (const auto& [name, use] : report.channels) record.run.channels[name] = {use.bytes, use.messages};
  record.merit = merit;
  results["checksum"] = hex(checksum(state_.front()));
  if (world_.settings().space_report)
    for (const Space* space : Space::of(world_)) results.merge(space_results(space->costs()));
  record.results = std::move(results);

  if (world_.rank() == 0) {
    fmt::print("{}: {} cells on {} rank{} ({}), {} {}, {}\n", program_, fmt::join(record.grid.extents, "x"),
               world_.size(), world_.size() == 1 ? "" : "s", fmt::join(record.grid.ranks, "x"),
               record.machine.device == "cuda" ? "CUDA," : "host,", record.machine.device_name,
               report.executor);
    if (halo && halo->depth != 0) fmt::print("{}\n", describe(*halo));
    if (!report.tried.empty()) {
      std::vector<std::string> tried;
      for (const auto& [name, seconds] : report.tried)
        tried.push_back(fmt::format("{} {:.3g} us", name, seconds * 1e6));
      fmt::print("tried, a step: {}\n", fmt::join(tried, ", "));
    }
    if (report.streamed.brought > 0)
      fmt::print("streamed: {} to the devices, {} back\n",
                 bytes_text(static_cast<std::size_t>(report.streamed.brought)),
                 bytes_text(static_cast<std::size_t>(report.streamed.taken)));
    fmt::print("{} steps in {:.4g} s: {:.4g} {}, checksum {}\n", report.steps, report.seconds, merit.value,
               merit.name, std::get<std::string>(record.results["checksum"]));
    std::fflush(stdout);
  }
  if (!common_.record.empty()) write_record(world_, common_.record, record);
}

} // namespace tasuki::job

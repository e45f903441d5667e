#include <tasuki/job/command_line.hpp>

#include <tasuki/base/error.hpp>

namespace tasuki::job {

CommandLine::CommandLine(const std::string& name, const std::string& what, long times)
    : app(what, "tasuki-" + name), program(name) {
  common.times = times;
  app.add_option("--times", common.times, "the last step; with --restart, of both runs together")
      ->check(CLI::Range(1L, 1L << 40))
      ->capture_default_str();
  app.add_option("--record", common.record, "write the result record (JSON) to this file");
  auto* checkpoint = app.add_option("--checkpoint", common.checkpoint,
                                    "write a checkpoint (HDF5) at the end, and where a signal ends the run");
  app.add_option("--checkpoint-every", common.checkpoint_every, "and every so many steps")
      ->check(CLI::Range(1L, 1L << 40))
      ->needs(checkpoint);
  app.add_option("--restart", common.restart, "go on from this checkpoint");
  app.add_option("--snapshot", common.snapshot,
                 "write the last step (HDF5, and XDMF for ParaView) to this file");
  add_options(app, settings);
}

const Settings& CommandLine::parse(int argc, char** argv) {
  parse_command_line(app, argc, argv, settings);
  return settings;
}

} // namespace tasuki::job

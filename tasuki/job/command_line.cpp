#include <tasuki/job/command_line.hpp>

namespace tasuki::job {

CommandLine::CommandLine(const std::string& name, const std::string& what, long times)
    : OptionParser(name, what), program(name) {
  common.times = times;
  const Range<long> some{1, 1L << 40};
  add("--times", common.times, "number of the last step; with --restart, counted from the first run's start",
      some);
  add("--record", common.record, "write the result record (JSON) to this file")
      .variable("TASUKI_RECORD"); // as `tasuki run` asks a program that may not have the option
  add("--checkpoint", common.checkpoint,
      "write a checkpoint (HDF5) at the end, also if a signal ends the run");
  add("--checkpoint-every", common.checkpoint_every, "also write the checkpoint after every N steps", some)
      .needs("--checkpoint");
  add("--restart", common.restart, "continue from this checkpoint");
  add("--snapshot", common.snapshot,
      "write the fields of the last step to this file (HDF5, with XDMF for ParaView)")
      .variable("TASUKI_SNAPSHOT");
  add_options(*this, settings);
}

const Settings& CommandLine::parse(int argc, char** argv) {
  OptionParser::parse(argc, argv, settings);
  return settings;
}

} // namespace tasuki::job

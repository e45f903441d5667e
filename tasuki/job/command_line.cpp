#include <tasuki/job/command_line.hpp>

namespace tasuki::job {

CommandLine::CommandLine(const std::string& name, const std::string& what, long times)
    : OptionParser(name, what), program(name) {
  common.times = times;
  const Range<long> some{1, 1L << 40};
  add("--times", common.times, "the last step; with --restart, of both runs together", some);
  add("--record", common.record, "write the result record (JSON) to this file")
      .variable("TASUKI_RECORD"); // as `tasuki run` asks a program that may not have the option
  add("--checkpoint", common.checkpoint,
      "write a checkpoint (HDF5) at the end, and where a signal ends the run");
  add("--checkpoint-every", common.checkpoint_every, "and every so many steps", some).needs("--checkpoint");
  add("--restart", common.restart, "go on from this checkpoint");
  add("--snapshot", common.snapshot, "write the last step (HDF5, and XDMF for ParaView) to this file")
      .variable("TASUKI_SNAPSHOT");
  add_options(*this, settings);
}

const Settings& CommandLine::parse(int argc, char** argv) {
  OptionParser::parse(argc, argv, settings);
  return settings;
}

} // namespace tasuki::job

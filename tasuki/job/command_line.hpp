// The options that every program takes, in addition to the library's own and to those of the program.
//
//   long nx = 1024;
//   ts::job::CommandLine line("laplace", "2-D Laplace equation", 1000);
//   line.add("--nx", nx, "cells along x", {3, 1L << 30});
//   ts::World world(argc, argv, line.parse(argc, argv));
#pragma once

#include <tasuki/base/options.hpp>
#include <tasuki/base/settings.hpp>

#include <string>

namespace tasuki::job {

struct CommonOptions {
  long times = 100;          // number of the last step; a restart goes on to the same
  std::string record;        // where the result record goes; empty: none
  std::string checkpoint;    // likewise
  long checkpoint_every = 0; // steps; 0: only at the end
  std::string restart;       // the checkpoint from which the run continues
  std::string snapshot;      // of the last step
};

class CommandLine : public OptionParser {
public:
  CommandLine(const std::string& program, const std::string& what, long times);

  // Ends the process at --help and at a wrong option, as OptionParser::parse() does.
  const Settings& parse(int argc, char** argv);

  std::string program;
  CommonOptions common;
  Settings settings;
};

} // namespace tasuki::job

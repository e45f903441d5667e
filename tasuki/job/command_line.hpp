// The options that every program has in addition to those of the library and its own.
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
  long times = 100;          // number of the last step, also after a restart
  std::string record;        // path of the result record; empty: none
  std::string checkpoint;    // path of the checkpoint; empty: none
  long checkpoint_every = 0; // steps; 0: only at the end
  std::string restart;       // the checkpoint from which the run continues
  std::string snapshot;      // path of the snapshot of the last step
};

class CommandLine : public OptionParser {
public:
  CommandLine(const std::string& program, const std::string& what, long times);

  // Ends the process after --help and after an invalid option, like OptionParser::parse().
  const Settings& parse(int argc, char** argv);

  std::string program;
  CommonOptions common;
  Settings settings;
};

} // namespace tasuki::job

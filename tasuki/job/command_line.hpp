// The options that every program takes, beside the library's own.
#pragma once

#include <tasuki/base/settings.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tasuki::job {

struct CommonOptions {
  long times = 100;          // number of the last step; a restart goes on to the same
  std::string record;        // where the result record goes; empty: none
  std::string checkpoint;    // likewise
  long checkpoint_every = 0; // steps; 0: only at the end
  std::string restart;       // the checkpoint to go on from
  std::string snapshot;      // of the last step
};

// CommandLine line("laplace", "2-D Laplace equation", 1000);
// line.app.add_option("--nx", ..);
// ts::World world(argc, argv, line.parse(argc, argv));
class CommandLine {
public:
  CommandLine(const std::string& program, const std::string& what, long times);

  // Ends the process at --help and at a wrong option, as parse_command_line() does.
  const Settings& parse(int argc, char** argv);

  CLI::App app;
  std::string program;
  CommonOptions common;
  Settings settings;
};

// One of `names`, kept as its place in them: choice(app, "--precision", p, {"float", "double"}, "..").
template <class E>
CLI::Option* choice(CLI::App& app, const std::string& option, E& value, const std::vector<std::string>& names,
                    const std::string& what) {
  return app
      .add_option_function<std::string>(
          option,
          [&value, names](const std::string& name) {
            value = static_cast<E>(std::find(names.begin(), names.end(), name) - names.begin());
          },
          what)
      ->check(CLI::IsMember(names))
      ->default_str(names[static_cast<std::size_t>(value)]);
}

} // namespace tasuki::job

#include <tasuki/base/log.hpp>

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <set>

namespace tasuki {
namespace {

// The lines already written: programs that run repeatedly make the same decisions each time.
struct Said {
  explicit Said(World&) {}
  std::mutex mutex; // threads of a program may say something
  std::set<std::string> lines;
};

} // namespace

bool logs(const World& world, LogLevel level) {
  const std::string& asked = world.settings().log;
  return world.rank() == 0 && level != LogLevel::quiet &&
         (asked == "debug" || (asked == "info" && level == LogLevel::info));
}

void log_line(World& world, LogLevel level, const std::string& line) {
  Said& said = world.part<Said>();
  const std::lock_guard lock(said.mutex);
  if (!said.lines.insert(line).second) return;
  const char* const clear = isatty(STDERR_FILENO) ? "\r\033[K" : ""; // erases a progress bar on this line
  std::fprintf(stderr, "%stasuki %s: %s\n", clear, level == LogLevel::info ? "info" : "debug", line.c_str());
  std::fflush(stderr);
}

} // namespace tasuki

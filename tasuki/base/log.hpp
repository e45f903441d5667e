// Messages about decisions of the library, on standard error, at the level that --log selects:
//
//   log_info(world, [&] { return fmt::format("grid {}: cut {}", extents, ranks); });   // tasuki info: grid 64x32: cut 2x1
//
// Only rank 0 writes, each line once per world. If the level is not selected, text() is not called.
#pragma once

#include <tasuki/base/world.hpp>

#include <string>

namespace tasuki {

enum class LogLevel { quiet, info, debug };

// True if this rank writes messages of this level.
bool logs(const World& world, LogLevel level);

// Writes a line, unless it has been written before.
void log_line(World& world, LogLevel level, const std::string& line);

template <class Text>
void log_info(World& world, const Text& text) {
  if (logs(world, LogLevel::info)) log_line(world, LogLevel::info, text());
}
template <class Text>
void log_debug(World& world, const Text& text) {
  if (logs(world, LogLevel::debug)) log_line(world, LogLevel::debug, text());
}

} // namespace tasuki

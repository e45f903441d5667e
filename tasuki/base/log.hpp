// Decisions of the library, on standard error, as --log asks for them:
//
//   log_info(world, [&] { return fmt::format("grid {}: cut {}", extents, ranks); });   // tasuki info: grid 64x32: cut 2x1
//
// Only rank 0 writes, and each line once per world. If nothing is to be written, the text is not made.
#pragma once

#include <tasuki/base/world.hpp>

#include <string>

namespace tasuki {

enum class LogLevel { quiet, info, debug };

// True if this rank writes lines of this level.
bool logs(const World& world, LogLevel level);

// Writes a line, if it is new.
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

// What the library decided, on standard error, where --log asks for it:
//
//   log_info(world, [&] { return fmt::format("grid {}: cut {}", extents, ranks); });   // tasuki info: grid 64x32: cut 2x1
//
// Rank 0 alone says it, and each line once a world. Where nothing is asked for, the text is not made.
#pragma once

#include <tasuki/base/world.hpp>

#include <string>

namespace tasuki {

enum class LogLevel { quiet, info, debug };

// Whether this rank says what is of this level.
bool logs(const World& world, LogLevel level);

// Says a line, where it is new.
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

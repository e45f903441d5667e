// An error with its position in a user's source file.
#pragma once

#include <stdexcept>
#include <string>

namespace tasuki {

// "file:line:col: error: what; mend": uncaught, it ends the run as Error does. Its line starts with the position, as
// compilers' messages do.
class SourceError : public std::runtime_error {
public:
  SourceError(const std::string& where, const std::string& what)
      : std::runtime_error(where + ": error: " + what) {}
};

} // namespace tasuki

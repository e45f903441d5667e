// An error at a place of a user's source.
#pragma once

#include <stdexcept>
#include <string>

namespace tasuki {

// "file:line:col: error: what; mend": uncaught, it ends the run as Error does, and its line begins with the place, as a
// compiler's.
class SourceError : public std::runtime_error {
public:
  SourceError(const std::string& where, const std::string& what)
      : std::runtime_error(where + ": error: " + what) {}
};

} // namespace tasuki

// An error states what is wrong and how to correct it, in one line.
//
//   const long nx = 2;
//   if (nx < 3) throw ts::Error("--nx is " + std::to_string(nx), "use 3 or more cells");
#pragma once

#include <stdexcept>
#include <string>

namespace tasuki {

// The text is one line, "what; mend". If the error is not caught, one rank prints it once,
// and the run ends on every rank (see World); a program needs no try and no MPI_Abort.
class Error : public std::runtime_error {
public:
  // `what` and `mend`: without a full stop; what() is "what; mend".
  Error(const std::string& what, const std::string& mend) : std::runtime_error(what + "; " + mend) {}
};

} // namespace tasuki

// An error names what is wrong and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace tasuki {

// One line, "what; mend". Uncaught, it is printed once, by one rank, and ends the run on every rank (World sees
// to that), so a program needs no try and no MPI_Abort.
class Error : public std::runtime_error {
public:
  Error(const std::string& what, const std::string& mend) : std::runtime_error(what + "; " + mend) {}
};

} // namespace tasuki

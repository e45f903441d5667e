// The environment variables that Tasuki reads: those of its settings
// (TASUKI_DEVICE), and a few of variables.cpp, for tests and for unusual machines.
//
//   const std::string gate = variable_word("TASUKI_GATE").value_or("auto"); // stream, kernel or auto
//   const double seconds = variable_number<double>("TASUKI_WATCH_AFTER").value_or(20);
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// The value of a variable, if it is set. Throws Error if the value is not one
// of its words, or not a number of its range. T: double or unsigned long.
std::optional<std::string> variable_word(const std::string& name);
template <class T>
std::optional<T> variable_number(const std::string& name);

// Throws Error if any variable that is set has an invalid value, even if this run does not use it.
void check_variables();

// A one-line warning about variables of `names` that begin with TASUKI_ and are unknown:
// "TASUKI_HALOO means nothing to Tasuki; is TASUKI_HALO meant?" "" if there are none.
std::string about_unknown(const std::vector<std::string>& names);
std::vector<std::string> names_in_environment(); // all variables that are set

} // namespace tasuki

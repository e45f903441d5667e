// The environment variables that Tasuki reads: those of its settings (TASUKI_DEVICE) and the few that stand in
// variables.cpp, for tests and for machines that are out of the ordinary.
//
//   const std::string gate = variable_word("TASUKI_GATE").value_or("auto"); // stream, kernel or auto
//   const double seconds = variable_number<double>("TASUKI_WATCH_AFTER").value_or(20);
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// What it is set to, if it is. Throws Error where that is none of its words, or no number of its range. T: double or
// unsigned long.
std::optional<std::string> variable_word(const std::string& name);
template <class T>
std::optional<T> variable_number(const std::string& name);

// Throws Error where one that is set could not be read, whether this run asks for it or not.
void check_variables();

// Those of these names that begin with TASUKI_ and mean nothing to Tasuki, as a warning of one line: "TASUKI_HALOO means
// nothing to Tasuki; is TASUKI_HALO meant?" "" where there are none.
std::string about_unknown(const std::vector<std::string>& names);
std::vector<std::string> names_in_environment(); // all that are set

} // namespace tasuki

#include <tasuki/base/variables.hpp>

#include <tasuki/base/number.hpp>
#include <tasuki/base/options.hpp>
#include <tasuki/base/settings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <variant>

#include <unistd.h>

namespace tasuki {
namespace {

using Words = std::vector<std::string>;
struct Any {}; // any value; checked by its reader

struct Variable {
  const char* name;
  std::variant<Any, Words, Range<double>, Range<unsigned long>> values;
};

const std::vector<Variable>& all_variables() {
  static const std::vector<Variable> all = {
      {"TASUKI_WATCH_AFTER", above(0)},                   // seconds until a late rank is reported, for tests
      {"TASUKI_GATE", Words{"auto", "stream", "kernel"}}, // how a stream waits for a flag
      {"TASUKI_ACC", Words{"shared", "apart"}},           // device memory of directive programs on the host
      {"TASUKI_LIFT", Words{"auto", "always"}}, // whether their time loops are lifted even if that is slower
      {"TASUKI_OWNERS", Words{"1"}},            // `tasuki plot --program` asks a program about its arrays
      {"TASUKI_SHARED", Words{"auto", "window", "file"}},         // how ranks share host memory
      {"TASUKI_GRAPH", Words{"auto", "eager", "overlapped"}},     // how a sweep is recorded in a graph
      {"TASUKI_CHAOS", Range<unsigned long>{}},                   // seed of random delays, for tests
      {"TASUKI_COURIER_DELAY", Range<unsigned long>{0, 1000000}}, // largest message delay in us, for tests
      {"TASUKI_SPACE_DELAY", Range<unsigned long>{0, 1000000}},   // delay of a space's answers, for tests
      {"TASUKI_FLIP", Any{}}, // a bit that argon flips in a replica, for tests
      // Variables of the tasuki command, of launchers and of the tests.
      {"TASUKI_BIN", Any{}},
      {"TASUKI_CC", Any{}},
      {"TASUKI_NVCC", Any{}},
      {"TASUKI_LANG", Any{}},
      {"TASUKI_RECORD", Any{}},
      {"TASUKI_SNAPSHOT", Any{}},
      {"TASUKI_LAUNCHER", Any{}},
      {"TASUKI_MPIEXEC", Any{}},
      {"TASUKI_REFERENCE_DATA", Any{}},
      {"TASUKI_TEST_SEED", Any{}},
      {"TASUKI_TEST_SIGNAL", Any{}},
      {"TASUKI_TEST_PHASES", Any{}}};
  return all;
}

const char* value_of(const Variable& variable) { return std::getenv(variable.name); }

void check(const Variable& variable) {
  const char* text = value_of(variable);
  if (!text) return;
  const std::string before = std::string(variable.name) + "=";
  if (const auto* words = std::get_if<Words>(&variable.values)) {
    if (std::find(words->begin(), words->end(), text) == words->end())
      throw Error(quoted(before, text) + " is none of its words",
                  fmt::format("set it to {}", fmt::join(*words, ", ")));
  } else if (const auto* range = std::get_if<Range<double>>(&variable.values)) {
    parse_number<double>(text, before, *range);
  } else if (const auto* whole = std::get_if<Range<unsigned long>>(&variable.values)) {
    parse_number<unsigned long>(text, before, *whole);
  }
}

const Variable& listed(const std::string& name) {
  for (const Variable& variable : all_variables())
    if (name == variable.name) return variable;
  throw Error(name + " is no variable of Tasuki", "give it a row in tasuki/base/variables.cpp");
}

} // namespace

std::optional<std::string> variable_word(const std::string& name) {
  const Variable& variable = listed(name);
  check(variable);
  const char* text = value_of(variable);
  return text ? std::optional<std::string>(text) : std::nullopt;
}

template <class T>
std::optional<T> variable_number(const std::string& name) {
  const Variable& variable = listed(name);
  const char* text = value_of(variable);
  if (!text) return {};
  return parse_number<T>(text, name + "=", std::get<Range<T>>(variable.values));
}
template std::optional<double> variable_number<double>(const std::string&);
template std::optional<unsigned long> variable_number<unsigned long>(const std::string&);

void check_variables() {
  for (const Variable& variable : all_variables()) check(variable);
}

std::vector<std::string> names_in_environment() {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    names.push_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::string about_unknown(const std::vector<std::string>& names) {
  std::vector<std::string> known, unknown, meant;
  for (const Setting& setting : all_settings()) known.push_back(setting.variable());
  for (const Variable& variable : all_variables()) known.push_back(variable.name);
  for (const std::string& name : names)
    if (name.starts_with("TASUKI_") && !name.starts_with("TASUKI_GPUS") && // variables of `tasuki gpus run`
        std::find(known.begin(), known.end(), name) == known.end())
      unknown.push_back(name);
  if (unknown.empty()) return "";
  std::sort(unknown.begin(), unknown.end());
  for (const std::string& name : unknown)
    if (const std::string near = nearest(name, known); !near.empty()) meant.push_back(near);
  return fmt::format(
      "{} {} nothing to Tasuki; {}", fmt::join(unknown, ", "), unknown.size() == 1 ? "means" : "mean",
      meant.empty() ? "unset it, or look up its name in the docs"
                    : fmt::format("{} {} meant?", meant.size() == 1 ? "is" : "are", fmt::join(meant, ", ")));
}

} // namespace tasuki

// The options of a program: their names, the ranges of their values, and the variables that receive them.
//
//   long nx = 1024;
//   std::string out;
//   OptionParser options("heat", "heat on a plate");
//   options.add("--nx", nx, "cells along x", {3, 1L << 30});
//   options.add("--out", out, "file of the last step");
//   options.parse(argc, argv);
//
// A name without dashes is a positional argument. Several names, "--size,--extents", are the
// same option. A variable keeps its value if its option is not given; --help shows this value.
#pragma once

#include <tasuki/base/number.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI { // only options.cpp includes its header, which takes eight seconds to compile
class App;
class Option;
} // namespace CLI

namespace tasuki {

struct Settings;
inline constexpr const char* kLibraryGroup = "Tasuki"; // the group of the library's options in --help

// Parses the text of a value. `option`: its name for errors, "--nx". Throws Error.
using TakesText = std::function<void(const std::string& text, const std::string& option)>;

// The result of add(), for further properties of an option.
class Option {
public:
  Option& group(const std::string& name);     // its heading in --help
  Option& excludes(const std::string& other); // error if both are given
  Option& needs(const std::string& other);    // error if the other is not given
  Option& variable(const std::string& name);  // an environment variable, used if the option is not given
  Option& usual(const std::string& text);     // shown by --help as the default value
  Option& required();

private:
  friend class OptionParser;
  struct State;
  explicit Option(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class OptionParser {
public:
  OptionParser(const std::string& program, const std::string& what); // the program's name is tasuki-`program`
  ~OptionParser();
  OptionParser(const OptionParser&) = delete;
  OptionParser& operator=(const OptionParser&) = delete;

  // A flag, or an option with a value. Throws Error with its name if the text is not a number or is out of range.
  Option add(const std::string& names, bool& value, const std::string& what);
  Option add(const std::string& names, int& value, const std::string& what, const Range<int>& range = {});
  Option add(const std::string& names, long& value, const std::string& what, const Range<long>& range = {});
  Option add(const std::string& names, double& value, const std::string& what,
             const Range<double>& range = {});
  Option add(const std::string& names, std::optional<double>& value, const std::string& what,
             const Range<double>& range = {});
  Option add(const std::string& names, std::string& value, const std::string& what);
  // An option of several words, or one that may be given several times.
  Option add(const std::string& names, std::vector<std::string>& values, const std::string& what);
  // A list, separated by commas.
  Option add(const std::string& names, std::vector<int>& values, const std::string& what,
             const Range<int>& range = {});
  // One of these words.
  Option choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
                const std::string& what);
  // One of these words, stored as its index: for an enumeration or a bool.
  template <class E>
  Option choice(const std::string& names, E& value, const std::vector<std::string>& words,
                const std::string& what) {
    static_assert(std::is_enum_v<E> || std::is_same_v<E, bool>);
    return choose(
        names, [&value](std::size_t place) { value = static_cast<E>(place); },
        static_cast<std::size_t>(value), words, what);
  }
  // A text with its own grammar. `kind`: as --help shows it, "XxY".
  Option add(const std::string& names, TakesText take, const std::string& what,
             const std::string& kind = "TEXT");
  Option flag(const std::string& names, TakesText take, const std::string& what); // of "true" or "false"

  // Called after all values have been parsed, to check them together. Throws Error.
  void check(std::function<void()> look);
  void allow_others();                     // ignores unknown options
  std::vector<std::string> others() const; // the unknown options, after parse()

  // A command with options of its own, as in `tasuki-model laplace --nx 64`; one command must be given.
  OptionParser& command(const std::string& name, const std::string& what);
  bool chosen() const; // of a command: it was given

  bool given(const std::string& name) const; // on the command line, under any of its names

  // --help prints on one rank and ends the process with status 0; a wrong option prints one line with a
  // correction, on one rank, and ends the process with status 2. To be called before World is constructed.
  void parse(int argc, char** argv);
  void parse(int argc, char** argv,
             Settings& settings); // receives the program's own options, which the ranks compare
  // The same for a list of words; throws Error for a wrong one.
  void read(const std::vector<std::string>& words);

private:
  struct Impl;
  explicit OptionParser(std::unique_ptr<Impl> impl);
  Option choose(const std::string& names, std::function<void(std::size_t)> take, std::size_t usual,
                const std::vector<std::string>& words, const std::string& what);
  std::unique_ptr<Impl> impl_;
};

// "1", "yes", "off" ..: Throws Error that names `option`.
bool parse_flag(const std::string& text, const std::string& option);

// The rank that the launcher (mpirun, srun) gave this process, before MPI is initialised; 0 without a launcher.
int launcher_rank();

// The most similar one of `words`, of which `word` may be a misspelling; "" if none is similar.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

} // namespace tasuki

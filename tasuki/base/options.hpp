// The options of a program: what they are called, what they may be, and where their values go.
//
//   long nx = 1024;
//   std::string out;
//   OptionParser options("heat", "heat on a plate");
//   options.add("--nx", nx, "cells along x", {3, 1L << 30});
//   options.add("--out", out, "file of the last step");
//   options.parse(argc, argv);
//
// A name without dashes is an argument that is told by its place; of several names, "--size,--extents", each will do.
// Values keep what they hold where nothing is given, and --help shows that.
#pragma once

#include <tasuki/base/number.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI { // its header alone takes a compiler eight seconds; options.cpp has it
class App;
class Option;
} // namespace CLI

namespace tasuki {

struct Settings;
inline constexpr const char* kLibraryGroup = "Tasuki"; // of the library's options in --help

// Takes a value's text. `option` is what stands before it in an error: "--nx". Throws Error.
using TakesText = std::function<void(const std::string& text, const std::string& option)>;

// What add() returns, to say more about an option.
class Option {
public:
  Option& group(const std::string& name);     // the heading in --help that it stands under
  Option& excludes(const std::string& other); // both together are refused
  Option& needs(const std::string& other);    // it is refused without the other
  Option& variable(const std::string& name);  // of the environment, where the option is not given
  Option& usual(const std::string& text);     // shown as what holds where it is not given
  Option& required();

private:
  friend class OptionParser;
  struct State;
  explicit Option(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class OptionParser {
public:
  OptionParser(const std::string& program, const std::string& what); // the program is tasuki-`program`
  ~OptionParser();
  OptionParser(const OptionParser&) = delete;
  OptionParser& operator=(const OptionParser&) = delete;

  // A flag, or an option with a value. Numbers outside of the range are refused by name, as are texts that are none.
  Option add(const std::string& names, bool& value, const std::string& what);
  Option add(const std::string& names, int& value, const std::string& what, const Range<int>& range = {});
  Option add(const std::string& names, long& value, const std::string& what, const Range<long>& range = {});
  Option add(const std::string& names, double& value, const std::string& what,
             const Range<double>& range = {});
  Option add(const std::string& names, std::optional<double>& value, const std::string& what,
             const Range<double>& range = {});
  Option add(const std::string& names, std::string& value, const std::string& what);
  // Of several words, or of the option given several times.
  Option add(const std::string& names, std::vector<std::string>& values, const std::string& what);
  // A list apart by commas.
  Option add(const std::string& names, std::vector<int>& values, const std::string& what,
             const Range<int>& range = {});
  // One of these words.
  Option choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
                const std::string& what);
  // One of these words, kept as its place among them: an enumeration or a bool.
  template <class E>
  Option choice(const std::string& names, E& value, const std::vector<std::string>& words,
                const std::string& what) {
    static_assert(std::is_enum_v<E> || std::is_same_v<E, bool>);
    return choose(
        names, [&value](std::size_t place) { value = static_cast<E>(place); },
        static_cast<std::size_t>(value), words, what);
  }
  // A text with a grammar of its own. `kind`: as --help shows it, "XxY".
  Option add(const std::string& names, TakesText take, const std::string& what,
             const std::string& kind = "TEXT");
  Option flag(const std::string& names, TakesText take, const std::string& what); // of "true" or "false"

  // Called when all values are there, to look at them together. Throws Error.
  void check(std::function<void()> look);
  void allow_others();                     // leaves alone what it does not know
  std::vector<std::string> others() const; // that, once parsed

  // A command with options of its own, as in `tasuki-model laplace --nx 64`; one has to be given.
  OptionParser& command(const std::string& name, const std::string& what);
  bool chosen() const; // of a command: whether it was given

  bool given(const std::string& name) const; // on the command line, by whichever of its names

  // --help prints on one rank and ends the process with status 0; a wrong option prints one line that says what to change,
  // on one rank, and ends it with 2. To be called before World is made.
  void parse(int argc, char** argv);
  void parse(int argc, char** argv,
             Settings& settings); // tells them the program's own options, for the ranks to compare
  // The same of words, where a wrong one throws Error.
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

// The rank that the launcher (mpirun, srun) gave this process, before MPI is up; 0 without a launcher.
int launcher_rank();

// The word among `words` that `word` may be a slip of; "" where none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

} // namespace tasuki

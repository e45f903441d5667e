#include <tasuki/base/options.hpp>

#include <tasuki/base/settings.hpp>
#include <tasuki/base/standard_output.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>

namespace tasuki {
namespace {

constexpr double kShownMost = 1 << 20; // the largest limit of a range that --help shows

// The type and range of a number as --help shows them: "INT 1..64", "FLOAT > 0".
template <class T>
std::string kind_of(const Range<T>& range) {
  const std::string kind = std::is_floating_point_v<T> ? "FLOAT" : "INT";
  if (std::is_signed_v<T> && static_cast<double>(range.least) < -kShownMost) return kind;
  if (range.above) return fmt::format("{} > {}", kind, range.least);
  if (static_cast<double>(range.most) > kShownMost) return fmt::format("{} >= {}", kind, range.least);
  return fmt::format("{} {}..{}", kind, range.least, range.most);
}

template <class T>
std::string usual_text(T value, const Range<T>& range) {
  return range.holds(value) ? fmt::format("{}", value) : std::string(); // else it means "no value"
}

// The edit distance: the least number of letters to change, delete or insert to turn one word into the other.
std::size_t letters_apart(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

} // namespace

struct Option::State {
  CLI::App* app = nullptr;
  CLI::Option* option = nullptr;
  TakesText take;
  std::vector<std::string> names;
  std::string variable;
  const std::vector<std::string>* words = nullptr; // of the command line

  // The name as typed by the user, for error messages.
  std::string typed() const {
    for (const std::string& name : names)
      for (const std::string& word : *words)
        if (word == name || word.starts_with(name + "=")) return name;
    return names.front();
  }
};

struct OptionParser::Impl {
  CLI::App* app = nullptr;
  std::unique_ptr<CLI::App> owned; // for a program; a command uses the program's app
  std::vector<std::shared_ptr<Option::State>> options;
  std::vector<std::unique_ptr<OptionParser>> commands;
  std::function<void()> look;
  bool others = false;
  std::shared_ptr<std::vector<std::string>> words = std::make_shared<std::vector<std::string>>();

  std::shared_ptr<Option::State> made(const std::string& names, TakesText take) {
    auto state = std::make_shared<Option::State>();
    state->app = app;
    state->take = std::move(take);
    state->names = CLI::detail::split(names, ',');
    state->words = words.get();
    options.push_back(state);
    return state;
  }
  // Errors of values are reported in the order of the options, not of the words.
  void settle() {
    for (const auto& option : options) {
      if (option->variable.empty() || option->option->count() > 0) continue;
      if (const char* text = std::getenv(option->variable.c_str()))
        option->take(text, option->variable + "=");
    }
    for (const auto& command : commands)
      if (command->chosen()) command->impl_->settle();
    if (look) look();
  }
  // The program's own options with their given or default values.
  void tell(std::vector<std::pair<std::string, std::string>>& terms) const {
    for (const auto& state : options) {
      const CLI::Option& option = *state->option;
      if (option.get_group() == kLibraryGroup) continue;
      const std::string value = fmt::format("{}", fmt::join(option.results(), " "));
      terms.emplace_back(state->names.front(), option.count() > 0 ? value : option.get_default_str());
    }
    for (const auto& command : commands) {
      if (!command->chosen()) continue;
      terms.emplace_back("command", command->impl_->app->get_name());
      command->impl_->tell(terms);
    }
  }
  // Throws an error for the first unknown word, with a known option that it may be a misspelling of.
  [[noreturn]] void refuse_others() const {
    std::vector<std::string> known, left = app->remaining(true);
    const auto gather = [&known](const Impl& impl) {
      for (const auto& option : impl.options)
        known.insert(known.end(), option->names.begin(), option->names.end());
    };
    gather(*this);
    for (const auto& command : commands)
      if (command->chosen()) gather(*command->impl_);
    const std::string first = left.front().substr(0, left.front().find('='));
    const std::string near = first.starts_with('-') ? nearest(first, known) : "";
    throw Error(fmt::format("{} {} not expected", fmt::join(left, " "), left.size() == 1 ? "is" : "are"),
                near.empty() ? "see --help for what there is" : fmt::format("is {} meant? See --help", near));
  }
};

Option& Option::group(const std::string& name) {
  state_->option->group(name);
  return *this;
}
Option& Option::excludes(const std::string& other) {
  state_->option->excludes(state_->app->get_option(other));
  return *this;
}
Option& Option::needs(const std::string& other) {
  state_->option->needs(state_->app->get_option(other));
  return *this;
}
Option& Option::variable(const std::string& name) {
  state_->variable = name;
  state_->option->description(state_->option->get_description() + " (" + name + ")");
  return *this;
}
Option& Option::usual(const std::string& text) {
  state_->option->default_str(text);
  return *this;
}
Option& Option::required() {
  state_->option->required();
  return *this;
}

OptionParser::OptionParser(const std::string& program, const std::string& what)
    : impl_(std::make_unique<Impl>()) {
  impl_->owned = std::make_unique<CLI::App>(what, "tasuki-" + program);
  impl_->app = impl_->owned.get();
}
OptionParser::OptionParser(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OptionParser::~OptionParser() = default;

Option OptionParser::add(const std::string& names, TakesText take, const std::string& what,
                         const std::string& kind) {
  auto state = impl_->made(names, std::move(take));
  const Option::State* at = state.get(); // owned by the parser
  state->option = impl_->app
                      ->add_option(names, CLI::callback_t([at](const CLI::results_t& values) {
                                     for (const std::string& text : values) at->take(text, at->typed());
                                     return true;
                                   }),
                                   what)
                      ->type_name(kind)
                      ->type_size(1)
                      ->expected(1);
  return Option(std::move(state));
}

Option OptionParser::add(const std::string& names, bool& value, const std::string& what) {
  const auto take = [&value](const std::string& text, const std::string& option) {
    value = parse_flag(text, option);
  };
  return flag(names, take, what);
}

Option OptionParser::flag(const std::string& names, TakesText take, const std::string& what) {
  auto state = impl_->made(names, std::move(take));
  const Option::State* at = state.get();
  state->option = impl_->app->add_flag_function(
      names, [](std::int64_t) {}, what);
  state->option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  state->option->each([at](const std::string& text) { at->take(text, at->typed()); });
  return Option(std::move(state));
}

Option OptionParser::add(const std::string& names, int& value, const std::string& what,
                         const Range<int>& range) {
  const auto take = [&value, range](const std::string& text, const std::string& option) {
    value = parse_number<int>(text, option, range);
  };
  return add(names, take, what, kind_of(range)).usual(usual_text(value, range));
}

Option OptionParser::add(const std::string& names, long& value, const std::string& what,
                         const Range<long>& range) {
  const auto take = [&value, range](const std::string& text, const std::string& option) {
    value = parse_number<long>(text, option, range);
  };
  return add(names, take, what, kind_of(range)).usual(usual_text(value, range));
}

Option OptionParser::add(const std::string& names, double& value, const std::string& what,
                         const Range<double>& range) {
  const auto take = [&value, range](const std::string& text, const std::string& option) {
    value = parse_number<double>(text, option, range);
  };
  return add(names, take, what, kind_of(range)).usual(usual_text(value, range));
}

Option OptionParser::add(const std::string& names, std::optional<double>& value, const std::string& what,
                         const Range<double>& range) {
  const auto take = [&value, range](const std::string& text, const std::string& option) {
    value = parse_number<double>(text, option, range);
  };
  return add(names, take, what, kind_of(range));
}

Option OptionParser::add(const std::string& names, std::string& value, const std::string& what) {
  return add(
             names, [&value](const std::string& text, const std::string&) { value = text; }, what)
      .usual(value);
}

Option OptionParser::add(const std::string& names, std::vector<std::string>& values,
                         const std::string& what) {
  Option option = add(
      names, [&values](const std::string& text, const std::string&) { values.push_back(text); }, what,
      "TEXT ..");
  option.state_->option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  return option;
}

Option OptionParser::add(const std::string& names, std::vector<int>& values, const std::string& what,
                         const Range<int>& range) {
  const auto take = [&values, range](const std::string& text, const std::string& option) {
    values = parse_list<int>(text, ',', option, range);
  };
  return add(names, take, what, "INT,..").usual(fmt::format("{}", fmt::join(values, ",")));
}

Option OptionParser::choose(const std::string& names, std::function<void(std::size_t)> take,
                            std::size_t usual, const std::vector<std::string>& words,
                            const std::string& what) {
  const auto pick = [take = std::move(take), words](const std::string& text, const std::string& option) {
    const auto at = std::find(words.begin(), words.end(), text);
    if (at == words.end())
      throw Error(quoted(option, text) + " is none of its words",
                  fmt::format("give {}", fmt::join(words, ", ")));
    take(static_cast<std::size_t>(at - words.begin()));
  };
  return add(names, pick, what, fmt::format("{{{}}}", fmt::join(words, ",")))
      .usual(usual < words.size() ? words[usual] : "");
}

Option OptionParser::choice(const std::string& names, std::string& value,
                            const std::vector<std::string>& words, const std::string& what) {
  const auto usual = static_cast<std::size_t>(std::find(words.begin(), words.end(), value) - words.begin());
  return choose(
      names, [&value, words](std::size_t place) { value = words[place]; }, usual, words, what);
}

void OptionParser::check(std::function<void()> look) { impl_->look = std::move(look); }

void OptionParser::allow_others() {
  impl_->others = true;
  impl_->app->allow_extras();
  impl_->app->set_help_flag();
}

OptionParser& OptionParser::command(const std::string& name, const std::string& what) {
  auto command = std::make_unique<Impl>();
  impl_->app->require_subcommand(1);
  command->app = impl_->app->add_subcommand(name, what);
  command->words = impl_->words;
  impl_->commands.emplace_back(new OptionParser(std::move(command)));
  return *impl_->commands.back();
}

bool OptionParser::chosen() const { return impl_->app->parsed(); }

bool OptionParser::given(const std::string& name) const { return impl_->app->get_option(name)->count() > 0; }

void OptionParser::read(const std::vector<std::string>& words) {
  *impl_->words = words;
  try {
    impl_->app->parse(std::vector<std::string>(words.rbegin(), words.rend())); // it expects them reversed
    impl_->settle();
  } catch (const CLI::ExtrasError&) {
    impl_->refuse_others();
  } catch (const CLI::Success&) { // --help
    throw;
  } catch (const CLI::ParseError& fault) {
    throw Error(fault.what(), "see --help for what there is");
  }
}

namespace {

using std::chrono::milliseconds;

// MPICH's launcher, Hydra, lets the other ranks go on when one exits before MPI_Init, and they would wait for it there:
// Hydra is told by the process manager interface (PMI-1) that all of them are to end. Other launchers know by themselves.
void end_other_ranks(int status) {
  const char* text = std::getenv("PMI_FD");
  if (!text || !std::getenv("MPI_LOCALRANKID")) return;
  try {
    const int descriptor = parse_number<int>(text, "PMI_FD=", {0, std::numeric_limits<int>::max()});
    std::this_thread::sleep_for(milliseconds(50)); // in which it passes on what this rank has printed
    ::dprintf(descriptor, "cmd=abort exitcode=%d\n", status);
    std::this_thread::sleep_for(milliseconds(1000)); // until it ends this rank too
  } catch (const Error&) {}                          // another launcher's
}

// Ends the process with one line. If all ranks have the same error, the launcher ends them after rank 0 has printed
// it; a rank that still lives a while later has an error that rank 0 does not have, and prints its own.
[[noreturn]] void refuse_command_line(const std::string& fault) {
  constexpr int status = 2;
  if (const int rank = launcher_rank(); rank != 0)
    std::this_thread::sleep_for(milliseconds(1500) + milliseconds(300) * std::min(rank - 1, 20));
  // In a single write: a launcher that is ending may print between two.
  std::fprintf(stderr, "tasuki: %s\n", fault.c_str());
  end_other_ranks(status);
  std::exit(status);
}

} // namespace

void OptionParser::parse(int argc, char** argv) {
  guard_standard_output();
  try {
    read(argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>{});
  } catch (const CLI::Success&) {
    if (launcher_rank() == 0) std::fputs(impl_->app->help().c_str(), stdout);
    std::exit(0);
  } catch (const Error& fault) {
    refuse_command_line(fault.what());
  }
}

bool parse_flag(const std::string& text, const std::string& option) {
  for (const char* yes : {"1", "true", "yes", "on"})
    if (text == yes) return true;
  for (const char* no : {"0", "false", "no", "off"})
    if (text == no) return false;
  throw Error(quoted(option, text) + " is neither yes nor no", "give 1 or 0");
}

std::vector<std::string> OptionParser::others() const { return impl_->app->remaining(); }

void OptionParser::parse(int argc, char** argv, Settings& settings) {
  parse(argc, argv);
  settings.program.clear();
  impl_->tell(settings.program);
}

int launcher_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name)) try {
        return parse_number<int>(text, std::string(name) + "=", {0, std::numeric_limits<int>::max()});
      } catch (const Error&) {} // an unreadable variable of one launcher: try the next
  return 0;
}

std::string nearest(const std::string& word, const std::vector<std::string>& words) {
  std::string best;
  std::size_t least = std::min<std::size_t>(3, word.size() / 3 + 1); // more edits: no misspelling
  for (const std::string& other : words)
    if (const std::size_t apart = letters_apart(word, other); apart < least) {
      least = apart;
      best = other;
    }
  return best;
}

} // namespace tasuki

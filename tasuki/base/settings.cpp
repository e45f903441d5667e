#include <tasuki/base/settings.hpp>

#include <tasuki/base/agree.hpp>
#include <tasuki/base/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace tasuki {
namespace {

constexpr int kMostCores = 1024; // what the system's set of cores holds
constexpr int kWidestHalo = 1 << 20;
const char* const kGroup = "Tasuki"; // of the library's options in --help

} // namespace

std::vector<long> parse_extents(const std::string& text, const std::string& option) {
  std::vector<long> list;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    long value = 0;
    const auto [next, fault] = std::from_chars(at, end, value);
    if (fault != std::errc{} || (next != end && *next != 'x') || next + 1 == end) break;
    list.push_back(value);
    if (next == end) return list;
    at = next + 1;
  }
  throw Error(option + " is '" + text + "', not a list of numbers", "write it as 256x128x128, x first");
}

int parse_halo(const std::string& text) {
  if (text == "auto") return kAutoHalo;
  int width = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (fault != std::errc{} || end != text.data() + text.size() || width < 1 || width > kWidestHalo)
    throw Error("--halo is '" + text + "'", "give a width of 1 or more, or auto");
  return width;
}

ProgressCores parse_progress_cores(const std::string& text) {
  using Wish = ProgressCores::Wish;
  if (text.empty() || text == "auto") return {};
  if (text == "none") return {Wish::none, {}};
  if (text == "any") return {Wish::any, {}};
  const auto refuse = [&](const std::string& what) {
    throw Error("--progress-cores is '" + text + "', " + what, "write it as 2,3, or take any or none");
  };
  ProgressCores list{Wish::listed, {}};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;; ++at) {
    int core = -1;
    const auto [next, fault] = std::from_chars(at, end, core);
    if (fault != std::errc{} || core < 0 || core >= kMostCores || (next != end && *next != ','))
      refuse("not a list of cores");
    if (std::find(list.cores.begin(), list.cores.end(), core) != list.cores.end())
      refuse("which names core " + std::to_string(core) + " twice");
    list.cores.push_back(core);
    at = next;
    if (at == end) return list;
  }
}

void add_options(CLI::App& app, Settings& s) {
  const auto env = [&](CLI::Option* option, const char* name) { option->envname(name)->group(kGroup); };
  env(app.add_option("--device", s.device, "where the cells live: host, cuda or auto")
          ->check(CLI::IsMember({"host", "cuda", "auto"}))
          ->capture_default_str(),
      "TASUKI_DEVICE");
  env(app.add_option("--executor", s.executor, "eager, overlapped, graph, blocked, resident or auto")
          ->check(CLI::IsMember({"eager", "overlapped", "graph", "blocked", "resident", "auto"}))
          ->capture_default_str(),
      "TASUKI_EXECUTOR");
  env(app.add_option("--channel", s.channel, "force a channel: self, peer or mpi; by face: x=peer,y-=mpi"),
      "TASUKI_CHANNEL");
  env(app.add_option_function<std::string>(
          "--halo", [&s](const std::string& text) { s.halo = parse_halo(text); },
          "width of the halos; more than the reach gives temporal blocking; auto: the fastest"),
      "TASUKI_HALO");
  env(app.add_option_function<std::string>(
          "--ranks",
          [&s](const std::string& text) {
            s.ranks.clear();
            for (const long n : parse_extents(text, "--ranks")) s.ranks.push_back(static_cast<int>(n));
          },
          "process grid, x first: 2x1x1; 0 leaves an axis free"),
      "TASUKI_RANKS");
  env(app.add_option("--threads", s.threads, "host threads a rank (default: the cores shared out evenly)")
          ->check(CLI::Range(1, 4096)),
      "TASUKI_THREADS");
  env(app.add_flag("--deterministic", s.deterministic, "exact sums: same bits on any number of ranks"),
      "TASUKI_DETERMINISTIC");
  env(app.add_flag("--share-devices", s.share_devices, "let several ranks use one GPU"),
      "TASUKI_SHARE_DEVICES");
  env(app.add_option_function<std::string>(
          "--progress-cores",
          [&s](const std::string& text) {
            parse_progress_cores(text);
            s.progress_cores = text;
          },
          "cores kept for the threads that serve MPI: 2,3; any or none"),
      "TASUKI_PROGRESS_CORES");
  env(app.add_option("--lanes", s.lanes, "pieces that a long message is cut into, which travel at once")
          ->check(CLI::Range(1, 64))
          ->capture_default_str(),
      "TASUKI_LANES");
  env(app.add_option("--subclusters", s.subclusters,
                     "take the ranks of a host for this many nodes, joined by mpi alone")
          ->check(CLI::Range(1, 1 << 20)),
      "TASUKI_SUBCLUSTERS");
  env(app.add_option(
             "--mapping", s.mapping,
             "which rank has which block: auto (costly faces on fast links), naive, or a list: 1,0,3,2")
          ->expected(0, 1)
          ->capture_default_str(),
      "TASUKI_MAPPING");
  env(app.add_option("--tuning", s.tuning,
                     "file that `tasuki tune` wrote (default: this machine's), or none"),
      "TASUKI_TUNING");
  env(app.add_option("--progress", s.progress, "bar, lines, json, none or auto")
          ->check(CLI::IsMember({"bar", "lines", "json", "none", "auto"}))
          ->capture_default_str(),
      "TASUKI_PROGRESS");
}

int launcher_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

namespace {

// Ends the process with one line. Ranks that were all given the same are ended by the launcher as soon as rank 0 has
// spoken; a rank that still lives a while later has a mistake that rank 0 has not, and speaks for itself.
[[noreturn]] void refuse_command_line(const std::string& fault) {
  using std::chrono::milliseconds;
  if (const int rank = launcher_rank(); rank != 0)
    std::this_thread::sleep_for(milliseconds(1500) + milliseconds(300) * std::min(rank - 1, 20));
  // In one piece: a launcher that is ending puts its own words between two.
  std::fprintf(stderr, "tasuki: %s\n", fault.c_str());
  std::exit(2);
}

} // namespace

void parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (launcher_rank() == 0) std::cout << app.help();
    std::exit(0);
  } catch (const CLI::ParseError& fault) {
    refuse_command_line(std::string(fault.what()) + "; see --help for what there is");
  } catch (const Error& fault) { // thrown by an option's own parser
    refuse_command_line(fault.what());
  }
}

namespace {

// The options of a program that are not the library's own, as they were given or are by default.
void put_options(const CLI::App& app, Terms& terms) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() == kGroup || option == app.get_help_ptr()) continue;
    std::string value = option->get_default_str();
    if (option->count() > 0) {
      value.clear();
      for (const std::string& one : option->results()) value += (value.empty() ? "" : " ") + one;
      if (value.empty()) value = "given";
    }
    terms.emplace_back(option->get_name(), value);
  }
  for (const CLI::App* command : app.get_subcommands()) {
    terms.emplace_back("command", command->get_name());
    put_options(*command, terms);
  }
}

} // namespace

void parse_command_line(CLI::App& app, int argc, char** argv, Settings& settings) {
  parse_command_line(app, argc, argv);
  settings.program.clear();
  put_options(app, settings.program);
}

Settings parse_settings(int argc, char** argv) {
  Settings settings;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_options(app, settings);
  parse_command_line(app, argc, argv);
  settings.program = terms_of_words(app.remaining());
  return settings;
}

// Ranks may have other --threads, --share-devices and --progress, and other cores for --progress-cores: none of them
// changes what goes from rank to rank.
Terms shared_settings(const Settings& s) {
  std::string ranks;
  for (const int n : s.ranks) ranks += (ranks.empty() ? "" : "x") + std::to_string(n);
  const std::string halo = s.halo == kAutoHalo ? "auto" : s.halo > 0 ? std::to_string(s.halo) : "";
  const ProgressCores cores = parse_progress_cores(s.progress_cores);
  return {{"--device", s.device},
          {"--executor", s.executor},
          {"--channel", s.channel},
          {"--halo", halo},
          {"--ranks", ranks},
          {"--deterministic", s.deterministic ? "given" : ""},
          {"--progress-cores", cores.wish == ProgressCores::Wish::listed ? "of its own" : s.progress_cores},
          {"--lanes", std::to_string(s.lanes)},
          {"--subclusters", std::to_string(s.subclusters)},
          {"--mapping", s.mapping},
          {"--tuning", s.tuning}};
}

} // namespace tasuki

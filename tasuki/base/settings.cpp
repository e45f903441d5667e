#include <tasuki/base/settings.hpp>

#include <tasuki/base/agree.hpp>
#include <tasuki/base/executors.hpp>
#include <tasuki/base/options.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tasuki {
namespace {

constexpr int kMostCores = 1024; // what the system's set of cores holds
constexpr int kWidestHalo = 1 << 20;
constexpr int kMostRanks = 1 << 30;
constexpr long kMostCells = 1L << 40; // along an axis

using Text = std::string;

Setting word(const Text& name, Text Settings::*member, const std::vector<Text>& words, const Text& what) {
  const auto take = [=](Settings& s, const Text& text, const Text& option) {
    if (std::find(words.begin(), words.end(), text) == words.end())
      throw Error(quoted(option, text) + " is none of its words",
                  fmt::format("give {}", fmt::join(words, ", ")));
    s.*member = text;
  };
  return {name, what, fmt::format("{{{}}}", fmt::join(words, ",")), take,
          [=](const Settings& s) { return s.*member; }};
}

Setting whole(const Text& name, int Settings::*member, const Range<int>& range, const Text& what) {
  const auto take = [=](Settings& s, const Text& text, const Text& option) {
    s.*member = parse_number<int>(text, option, range);
  };
  const auto text = [=](const Settings& s) {
    return range.holds(s.*member) ? std::to_string(s.*member) : Text();
  };
  return {name, what, "INT", take, text};
}

Setting seconds(const Text& name, double Settings::*member, const Text& what) {
  const auto take = [=](Settings& s, const Text& text, const Text& option) {
    s.*member = parse_number<double>(text, option, above(0));
  };
  const auto text = [=](const Settings& s) { return s.*member > 0 ? fmt::format("{}", s.*member) : Text(); };
  return {name, what, "SECONDS", take, text};
}

Setting flag(const Text& name, bool Settings::*member, const Text& what) {
  const auto take = [=](Settings& s, const Text& text, const Text& option) {
    s.*member = parse_flag(text, option);
  };
  return {name, what, "", take, [=](const Settings& s) { return Text(s.*member ? "given" : ""); }};
}

Setting exact_sums(const Text& name, const Text& what) {
  const auto take = [](Settings& s, const Text& text, const Text& option) {
    if (parse_flag(text, option)) s.sums = "exact";
  };
  return Setting{name, what, "", take, [](const Settings&) { return Text(); }}.of_each_rank();
}

// Kept as it is written; `look` throws Error where it makes no sense.
Setting text(const Text& name, Text Settings::*member, const Text& what,
             const std::function<void(const Text& text, const Text& option)>& look = {}) {
  const auto take = [=](Settings& s, const Text& given, const Text& option) {
    if (look) look(given, option);
    s.*member = given;
  };
  return {name, what, "TEXT", take, [=](const Settings& s) { return s.*member; }};
}

Setting bytes(const Text& name, unsigned long Settings::*member, const Range<unsigned long>& range,
              const Text& what) {
  const auto take = [=](Settings& s, const Text& text, const Text& option) {
    s.*member = parse_bytes(text, option, range);
  };
  const auto text = [=](const Settings& s) { return s.*member ? std::to_string(s.*member) : Text(); };
  return {name, what, "BYTES", take, text};
}

// A multiple of 2 MiB, so that no page is of two things.
Setting address(const Text& name, unsigned long Settings::*member, const Text& what) {
  constexpr unsigned long kGrain = 1ul << 21;
  const auto take = [=](Settings& s, const Text& text, const Text& option) {
    s.*member = parse_digits(text.starts_with("0x") ? text.substr(2) : text, 16, option);
    if (s.*member == 0 || s.*member % kGrain != 0)
      throw Error(quoted(option, text) + " is no multiple of 2 MiB", "write it as 0x200000000000");
  };
  return {name, what, "ADDRESS", take, [=](const Settings& s) { return fmt::format("{:#x}", s.*member); }};
}

// 4 KiB to 2 MiB, a power of two.
Setting page(const Text& name, unsigned long Settings::*member, const Text& what) {
  Setting setting = bytes(name, member, {4096, 1ul << 21}, what);
  const auto number = setting.take;
  setting.take = [=](Settings& s, const Text& text, const Text& option) {
    number(s, text, option);
    if (s.*member & (s.*member - 1))
      throw Error(quoted(option, text) + " is no power of two", "give 4KiB, 8KiB, .. or 2MiB");
  };
  return setting;
}

Setting halo(const Text& what) {
  const auto take = [](Settings& s, const Text& text, const Text& option) {
    s.halo = parse_halo(text, option);
  };
  const auto text = [](const Settings& s) {
    return s.halo == kAutoHalo     ? "auto"
           : s.halo == kDirectHalo ? "direct"
           : s.halo > 0            ? std::to_string(s.halo)
                                   : Text();
  };
  return {"halo", what, "INT|auto|direct", take, text};
}

Setting ranks(const Text& what) {
  const auto take = [](Settings& s, const Text& text, const Text& option) {
    s.ranks = parse_ranks(text, option);
  };
  return {"ranks", what, "XxY..", take,
          [](const Settings& s) { return fmt::format("{}", fmt::join(s.ranks, "x")); }};
}

} // namespace

// A setting more is a member of Settings and a row here.
const std::vector<Setting>& all_settings() {
  using S = Settings;
  static const std::vector<Text> executors = [] {
    std::vector<Text> words = executor_names();
    words.emplace_back(kAutoExecutor);
    return words;
  }();
  static const std::vector<Setting> all = {
      word("device", &S::device, {"host", "cuda", "auto"},
           "device of the cells: cores of the host, or a GPU; auto: a GPU if there is one"),
      word("executor", &S::executor, executors, "how steps are executed; auto: the fastest way"),
      text("channel", &S::channel,
           "channel of all halos (self, peer or mpi), or of faces: x=peer,y-=mpi (default: the fastest)"),
      halo("width of the halos in cells; a wider one allows several steps per exchange; auto: the fastest; "
           "direct: as the program has it, and neighbours of a node read each other's cells "
           "(default: that of the program, or a wider one where it is clearly faster)"),
      ranks("process grid, x first, as 2x1x1; 0: Tasuki chooses for this axis"),
      whole("threads", &S::threads, {1, 4096},
            "host threads per rank (default: the cores, divided by the ranks of the host)")
          .of_each_rank(),
      bytes("device-memory", &S::device_memory, {1, 1ul << 50},
            "memory of each rank's device, as 16GiB (default: all of it); fields that do not fit are "
            "streamed"),
      whole("steps-a-pass", &S::steps_a_pass, {1, 1024},
            "steps per pass of the executor streamed (default: chosen by the model)"),
      word("sums", &S::sums, {"exact", "fast", "auto"},
           "exact: the same bits for any ranks and executor; fast: any order of additions; auto: exact"),
      exact_sums("deterministic", "another name for --sums exact"),
      flag("share-devices", &S::share_devices, "allow several ranks on one GPU").of_each_rank(),
      text("progress-cores", &S::progress_cores,
           "cores reserved for the threads that serve MPI, as 2,3; any: one thread, not bound; none: no "
           "thread",
           [](const Text& given, const Text&) { parse_progress_cores(given); }),
      whole("lanes", &S::lanes, {1, 64},
            "number of pieces of a long message, which are sent at the same time"),
      whole("subclusters", &S::subclusters, {1, 1 << 20},
            "treat the ranks of a host as this many nodes, which are joined by mpi alone"),
      text("mapping", &S::mapping,
           "ranks of the blocks: auto (large faces on fast links), naive (in order), or a list: 1,0,3,2"),
      text("tuning", &S::tuning,
           "file written by `tasuki tune` (default: the file of this machine), or none"),
      seconds("patience", &S::patience,
              "how long a rank waits for another rank before the run ends (default: for ever)")
          .of_each_rank(),
      word("progress", &S::progress, {"bar", "lines", "json", "none", "auto"},
           "form of the progress report; auto: a bar on a terminal")
          .of_each_rank(),
      word("log", &S::log, {"quiet", "info", "debug"},
           "report on standard error: decisions (info), also plans and exchanges (debug)")
          .of_each_rank(),
      flag("ranges", &S::ranges, "name steps, sweeps and exchanges for profilers (NVTX; builds with CUDA)")
          .of_each_rank(),
      address("space-at", &S::space_at, "first address of a space"),
      bytes("space-size", &S::space_size, {1ul << 21, 1ul << 46},
            "size of the address range of a space (default: a quarter of all addresses)"),
      page("page", &S::page, "page size of a space, the unit of its transfers: 4KiB to 2MiB"),
      bytes("space-cache", &S::space_cache, {1, 1ul << 46},
            "most bytes of other nodes' pages that a node keeps (default: no limit)"),
      word("faults", &S::faults, {"auto", "uffd", "signal", "none"},
           "how a space detects an access to an absent page; none: the program preloads all pages"),
      flag("races", &S::races,
           "end with an error if two nodes write different values to one byte of a space"),
      flag("space-report", &S::space_report, "print at the end what each array of a space cost")};
  return all;
}

std::string Setting::variable() const {
  std::string upper = "TASUKI_";
  for (const char c : name)
    upper += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

void add_options(OptionParser& options, Settings& settings) {
  for (const Setting& setting : all_settings()) {
    const TakesText take = [&settings, &setting](const Text& text, const Text& option) {
      setting.take(settings, text, option);
    };
    Option option = setting.kind.empty() ? options.flag("--" + setting.name, take, setting.what)
                                         : options.add("--" + setting.name, take, setting.what, setting.kind);
    option.variable(setting.variable()).group(kLibraryGroup);
    if (!setting.kind.empty()) option.usual(setting.text(settings));
  }
}

Settings parse_settings(int argc, char** argv) {
  Settings settings;
  OptionParser options("settings", "");
  options.allow_others();
  add_options(options, settings);
  options.parse(argc, argv);
  settings.program = terms_of_words(options.others());
  if (argc > 0) settings.label = std::filesystem::path(argv[0]).filename().string();
  return settings;
}

std::vector<long> parse_extents(const std::string& text, const std::string& option, long least) {
  try {
    return parse_list<long>(text, 'x', option, {least, kMostCells});
  } catch (const Error&) {
    throw Error(fmt::format("{} is no list of whole numbers of {} or more", quoted(option, text), least),
                "write it as 256x128x128, x first");
  }
}

std::vector<int> parse_ranks(const std::string& text, const std::string& option) {
  try {
    return parse_list<int>(text, 'x', option, {0, kMostRanks});
  } catch (const Error&) {
    throw Error(quoted(option, text) + " is no process grid",
                "write it as 2x1x1, x first; 0 leaves an axis free");
  }
}

int parse_halo(const std::string& text, const std::string& option) {
  if (text == "auto") return kAutoHalo;
  if (text == "direct") return kDirectHalo;
  try {
    return parse_number<int>(text, option, {1, kWidestHalo});
  } catch (const Error&) {
    throw Error(quoted(option, text) + " is no width", "give a width of 1 or more, auto or direct");
  }
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
  try {
    list.cores = parse_list<int>(text, ',', "--progress-cores", {0, kMostCores - 1});
  } catch (const Error&) {
    refuse("not a list of cores");
  }
  for (auto core = list.cores.begin(); core != list.cores.end(); ++core)
    if (std::find(list.cores.begin(), core, *core) != core)
      refuse("which names core " + std::to_string(*core) + " twice");
  return list;
}

Terms shared_settings(const Settings& settings) {
  Terms terms;
  for (const Setting& setting : all_settings()) {
    if (!setting.shared) continue;
    // Ranks may list other cores, each its own: that changes nothing that goes from rank to rank.
    const bool cores = setting.name == "progress-cores" &&
                       parse_progress_cores(settings.progress_cores).wish == ProgressCores::Wish::listed;
    terms.emplace_back("--" + setting.name, cores ? "of its own" : setting.text(settings));
  }
  return terms;
}

} // namespace tasuki

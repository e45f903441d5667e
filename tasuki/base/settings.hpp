// Settings are the choices of a run that are not part of the computation: devices, execution, output.
//
//   ts::Settings settings = ts::parse_settings(argc, argv);
//   settings.executor = "overlapped";
//   ts::World other(argc, argv, settings);
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tasuki {

class OptionParser;

constexpr int kAutoHalo = -1, kDirectHalo = -2;

// Each setting is an option of every program (--device cuda) and an environment variable (TASUKI_DEVICE=cuda).
struct Settings {
  std::string device = "auto";   // host, cuda, auto (cuda if there is a GPU)
  std::string executor = "auto"; // or the name of one in base/executors.hpp
  std::string channel = "";      // "" (the best for each face), "mpi", or by face: "x=peer,y-=mpi"
  int halo = 0;                  // width of every halo; 0: as the program requests; kAutoHalo: the fastest;
                                 // kDirectHalo: as requested, and not copied within a node
  std::vector<int> ranks; // process grid, "2x1x1"; empty: the one with the least predicted exchange time
  int threads = 0;        // host threads per rank; 0: an equal share of the node's cores
  unsigned long device_memory = 0; // bytes usable on a rank's device; 0: all of them
  int steps_a_pass = 0;            // of the executor streamed; 0: chosen by the model
  std::string sums = "auto";       // exact (bits do not depend on ranks or executor), fast, auto (exact)
  bool share_devices = false;      // several ranks may use one GPU
  std::string progress_cores = ""; // cores of communication threads: see ProgressCores
  int lanes = 1;                   // pieces into which a long message is split
  int subclusters = 1; // groups into which the ranks of a host are divided; each is a node for `peer`
  std::string mapping =
      "auto";              // auto (costly faces on fast links), naive, or the rank of each block: "1,0,3,2"
  std::string tuning = ""; // file of measured constants; "": of this machine, "none": built-in ones
  double patience = 0;     // seconds that a rank waits for another before the run ends; 0: no limit
  std::string progress = "auto"; // bar, lines, json, none, auto (bar on a terminal, else lines)
  std::string log = "quiet";     // info: decisions, on standard error; debug: plans and exchanges too
  bool ranges = false;           // steps, sweeps and exchanges are named ranges for profilers
  unsigned long space_at = 0x200000000000; // the first address of a space
  unsigned long space_size = 0;            // its size in bytes; 0: a quarter of the address space
  unsigned long page = 4096;               // bytes that a space transfers at a time
  unsigned long space_cache = 0;           // bytes of other nodes' pages that a node caches; 0: unlimited
  std::string faults = "auto";             // uffd, signal, none, auto: how missing pages are served
  bool races = false;                      // two nodes that write one byte differently are an error
  bool space_report = false;               // print the costs of each array of a space at the end
  // The program's own options by name, with their values, and its other arguments: must be the same on all ranks.
  std::vector<std::pair<std::string, std::string>> program = {};
  // The label of runs without one, if --progress names a style; empty: such runs show no progress.
  std::string label = "";
};

// One setting as a table row, from which its option, its variable and its text are derived.
struct Setting {
  std::string name; // "share-devices": --share-devices
  std::string what; // its line in --help
  std::string kind; // of its value, in --help; "": a flag
  std::function<void(Settings&, const std::string& text, const std::string& option)> take; // throws Error
  std::function<std::string(const Settings&)> text; // the inverse of `take`; "" for the default
  bool shared = true;                               // must be the same on all ranks

  // A copy for settings that do not affect the messages between ranks.
  Setting of_each_rank() const {
    Setting own = *this;
    own.shared = false;
    return own;
  }
  std::string variable() const; // "TASUKI_SHARE_DEVICES"
};
const std::vector<Setting>& all_settings();

// Adds the options of the settings to those of a program (group "Tasuki").
void add_options(OptionParser& options, Settings& settings);

// The values that must be the same on all ranks, by option.
std::vector<std::pair<std::string, std::string>> shared_settings(const Settings& settings);

// Reads the settings from argv and the environment and ignores
// everything unknown. Runs without a label get the name of the program.
Settings parse_settings(int argc, char** argv);

// The cores of the threads that call MPI: "2,3" binds one thread to each of these cores of the node, which are divided
// evenly among its ranks; "any": one unbound thread per rank; "none": no thread; "": one on a GPU, none on the host.
struct ProgressCores {
  enum class Wish { automatic, none, any, listed };
  Wish wish = Wish::automatic;
  std::vector<int> cores; // of the node, in the order given; empty if none are listed
};
// Throws Error if the text is not such a list, or contains a core twice.
ProgressCores parse_progress_cores(const std::string& text);

// "4" -> 4, "auto" -> kAutoHalo, "direct" -> kDirectHalo. Throws Error for any other text and for a width below 1.
int parse_halo(const std::string& text, const std::string& option = "--halo");

// "256x128x128" -> {256, 128, 128}, each at least `least`. Throws Error with `option` if the text is not such a list.
std::vector<long> parse_extents(const std::string& text, const std::string& option, long least = 0);

// "2x0" -> {2, 0}: ranks along each axis, 0 if not prescribed. Throws Error likewise.
std::vector<int> parse_ranks(const std::string& text, const std::string& option = "--ranks");

} // namespace tasuki

// The record of a run is one JSON object, written when the run ends.
//
//   ts::Record record;
//   record.program = "heat";
//   record.grid = ts::grid_info(grid);
//   record.results["residual"] = 1e-6;
//   ts::write_record(world, "heat.json", record);
#pragma once

#include <tasuki/field/grid.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tasuki {

class AnyField;

// An option of a program, or a computed number. std::monostate is written as null, like a number that is not finite.
using Value =
    std::variant<std::monostate, bool, long, double, std::string, std::vector<long>, std::vector<double>>;
using Values = std::map<std::string, Value>;

struct MachineInfo {
  std::vector<std::string> hosts; // one per node
  int ranks = 1, nodes = 1;
  std::string device;      // "host" or "cuda"
  std::string device_name; // of rank 0's
  int devices = 1;         // used by the ranks: GPUs, or the nodes of a run on the host
  int threads_per_rank = 1;
};

struct BuildInfo {
  std::string compiler, build_type;
  std::optional<std::string> cuda; // version of the toolkit; nothing in a host build
  std::string mpi;
  bool gpu_aware_mpi = false;
  std::optional<std::string> hdf5; // version; nothing without HDF5
};

// The grid, with all lists by axis, x first.
struct GridInfo {
  std::vector<long> extents;
  std::vector<int> ranks;
  std::vector<std::pair<int, int>> halo; // cells below and above
  std::vector<bool> periodic;
  std::vector<std::vector<long>> blocks; // cells of each block along the axis
  std::vector<int> mapping;              // rank of each block, numbered x first; empty: rank r has block r
};

struct RunInfo {
  struct Traffic {
    long bytes = 0, messages = 0; // of all ranks
  };
  std::string executor;
  long steps = 0;
  double seconds = 0;
  bool interrupted = false;                  // a signal ended the run early
  std::map<std::string, double> phases = {}; // seconds by phase
  std::map<std::string, Traffic> channels = {};
  std::map<int, double> halos = {};         // predicted seconds per step by halo depth, if auto chose it
  std::map<std::string, double> tried = {}; // seconds per step of the executors that auto tried
  long brought = 0, taken = 0;              // bytes to device memory and back, for the executor streamed
};

struct Merit {
  std::string name; // its unit: "GFLOP/s"
  double value = 0;
};

struct Record {
  std::string program;
  MachineInfo machine;
  BuildInfo build;
  Values options;
  GridInfo grid;
  RunInfo run;
  std::optional<Merit> merit;
  Values results;
};

MachineInfo machine_info(World& world, Device& device); // collective
BuildInfo build_info();                                 // of this library
GridInfo grid_info(const AnyField& field);              // of its grid; lists by axis, x first
GridInfo grid_info(const GridCore& grid);
template <int D>
GridInfo grid_info(const Grid<D>& grid) {
  return grid_info(*grid.core());
}
Values option_values(const Settings& settings); // the options of every program
std::string halo_text(int depth);               // "4"; "direct" for kDirectHalo, "auto" for kAutoHalo

// The record as text; `finished` is the time of the call.
std::string to_json(const Record& record);

// Rank 0 writes the record with a checksum (seal.hpp), then renames it. Throws Error on every rank. Collective.
void write_record(World& world, const std::string& path, const Record& record);

} // namespace tasuki

// tasuki-bench-lanes: what cores kept free for communication threads, and messages cut into pieces that travel at once,
// bring to an exchange through MPI. A line of JSON for each number of cores a rank, of lanes, and of bytes.
//
//   mpirun -n 2 --bind-to none tasuki-bench-lanes --device host --out lanes.jsonl
//
// Every rank sends one message to the next. `alone` is the time of start() and finish() by themselves. `beside` is what
// the exchange adds to arithmetic between the two that takes as long as the exchange alone, without threads of its own,
// does: 0 where all of it is hidden. Seconds; of a repetition the slowest rank counts.
#include <tasuki/channel/channel.hpp>
#include <tasuki/channel/courier.hpp>
#include <tasuki/file/output.hpp>

#include <nlohmann/json.hpp>
#include <tasuki/base/options.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>

namespace tasuki::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<int> cores = {0, 1, 2}; // a rank
  std::vector<int> lanes = {1, 2, 4};
  std::vector<long> bytes = {1L << 10, 1L << 14, 1L << 16, 1L << 18, 1L << 20, 1L << 22, 1L << 24};
  int rounds = 3;
  double seconds = 0.1; // of a round of one kind of measurement
  std::string out;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Arithmetic that no compiler takes away, and no memory: it does not slow down what travels.
double busy(long rounds) {
  double x = 1.0;
  for (long i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

long rounds_for(double seconds) {
  static const double a_round = [] {
    constexpr long kMany = 2'000'000;
    double least = 1;
    volatile double sink = 0;
    for (int i = 0; i < 5; ++i) {
      const double began = now();
      sink = busy(kMany);
      least = std::min(least, now() - began);
    }
    (void)sink;
    return least / kMany;
  }();
  return static_cast<long>(seconds / a_round);
}

struct Samples {
  std::vector<double> seconds;
  Json json() const {
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    return {
        {"mean", std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size())},
        {"smallest", *least},
        {"largest", *most},
        {"repetitions", seconds.size()}};
  }
};

// One message to the next rank.
class Ring {
public:
  Ring(World& world, long bytes)
      : world_(world),
        device_(world.part<Device>()),
        here_(device_, static_cast<std::size_t>(bytes)),
        there_(device_, static_cast<std::size_t>(bytes)) {
    const auto message = [&](int rank, char* base) {
      Strided all;
      all.base = base;
      all.run = bytes;
      return std::vector<Message>{{rank, {{all}}}};
    };
    const int n = world.size(), me = world.rank();
    channel_ = row_of(ChannelKind::mpi)
                   .make(device_, {.outgoing = message((me + 1) % n, here_.data()),
                                   .incoming = message((me + n - 1) % n, there_.data())});
  }

  // Seconds of each of these repetitions, with so many rounds of arithmetic in between.
  std::vector<double> times(long repetitions, long rounds) {
    std::vector<double> seconds;
    volatile double sink = 0;
    for (long i = 0; i < repetitions; ++i) {
      MPI_Barrier(world_.comm());
      const double began = now();
      channel_->start(device_.stream());
      if (rounds) sink = busy(rounds);
      channel_->finish(device_.stream());
      device_.stream().synchronize();
      seconds.push_back(now() - began);
    }
    (void)sink;
    MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                  world_.comm());
    return seconds;
  }

  // How many of them fill so much time; the same on all ranks.
  long repetitions(double seconds) {
    const std::vector<double> few = times(10, 0);
    return std::clamp(static_cast<long>(seconds / *std::min_element(few.begin(), few.end())), 5L, 2000L);
  }

private:
  World& world_;
  Device& device_;
  Buffer here_, there_;
  std::unique_ptr<Channel> channel_;
};

// The last cores of those that this process may use, so many a rank of the host; "" where there are too few.
std::string last_cores(int a_rank, int ranks) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> usable;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) usable.push_back(core);
  const std::size_t wanted = static_cast<std::size_t>(a_rank) * static_cast<std::size_t>(ranks);
  std::string list;
  if (wanted > usable.size()) return list;
  for (auto core = usable.end() - static_cast<long>(wanted); core != usable.end(); ++core)
    list += (list.empty() ? "" : ",") + std::to_string(*core);
  return list;
}

struct Row {
  Samples alone, beside;
  std::string refused;
};

class Lanes {
public:
  Lanes(const Options& options, const Settings& settings) : options_(options), settings_(settings) {}

  // Rounds over all settings, so that what disturbs for a while disturbs all alike.
  void measure() {
    for (int round = 0; round < options_.rounds; ++round)
      for (const int cores : options_.cores)
        for (const int lanes : options_.lanes) measure(cores, lanes);
  }

  void write(std::ostream& out, int ranks) const {
    for (const auto& [key, row] : rows_) {
      const auto& [cores, lanes, bytes] = key;
      Json json = {{"cores", cores}, {"lanes", lanes}, {"bytes", bytes}, {"ranks", ranks}};
      if (!row.refused.empty()) json["refused"] = row.refused;
      if (!row.alone.seconds.empty()) json["alone"] = row.alone.json();
      if (!row.beside.seconds.empty()) json["beside"] = row.beside.json();
      out << json.dump() << "\n";
    }
  }

private:
  void measure(int cores, int lanes) {
    int hosts_ranks = 1;
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &hosts_ranks);
    MPI_Comm_free(&host);
    Settings settings = settings_;
    settings.lanes = lanes;
    settings.progress_cores = cores ? last_cores(cores, hosts_ranks) : "none";
    int possible = !settings.progress_cores.empty();
    MPI_Allreduce(MPI_IN_PLACE, &possible, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!possible) {
      for (const long bytes : options_.bytes)
        rows_[{cores, lanes, bytes}].refused = "there are too few cores";
      return;
    }
    World world(0, nullptr, settings);
    if (cores && !Courier::of(world.part<Device>()))
      throw Error("this MPI does not let several threads call it", "take --cores 0");
    for (const long bytes : options_.bytes) {
      Ring ring(world, bytes);
      ring.times(10, 0);
      Row& row = rows_[{cores, lanes, bytes}];
      const long repetitions = ring.repetitions(options_.seconds);
      const std::vector<double> alone = ring.times(repetitions, 0);
      row.alone.seconds.insert(row.alone.seconds.end(), alone.begin(), alone.end());
      if (world.part<Device>().cuda()) continue; // the work of a GPU is beside whatever the host does
      beside(world, ring, bytes, repetitions, row);
    }
  }

  // The arithmetic is the same for all settings: as long as the median exchange that was measured first.
  void beside(World& world, Ring& ring, long bytes, long repetitions, Row& row) {
    auto [known, first] = rounds_.try_emplace(bytes, 0);
    if (first) {
      std::vector<double> seconds = row.alone.seconds;
      std::nth_element(seconds.begin(), seconds.begin() + static_cast<long>(seconds.size() / 2),
                       seconds.end());
      known->second = rounds_for(seconds[seconds.size() / 2]);
      MPI_Bcast(&known->second, 1, MPI_LONG, 0, world.comm());
    }
    const std::vector<double> both = ring.times(repetitions, known->second);
    // The arithmetic by itself, on this rank's cores as they are now.
    std::vector<double> work;
    volatile double sink = 0;
    for (int i = 0; i < 20; ++i) {
      const double began = now();
      sink = busy(known->second);
      work.push_back(now() - began);
    }
    (void)sink;
    double least = *std::min_element(work.begin(), work.end());
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MAX, world.comm());
    for (const double seconds : both) row.beside.seconds.push_back(seconds - least);
  }

  const Options& options_;
  const Settings& settings_;
  std::map<std::tuple<int, int, long>, Row> rows_;
  std::map<long, long> rounds_; // of arithmetic, by bytes
};

} // namespace
} // namespace tasuki::bench

int main(int argc, char** argv) {
  using namespace tasuki;
  bench::Options options;
  Settings settings;
  settings.threads = 1;
  OptionParser line("bench-lanes", "What cores and lanes of their own bring to messages");
  line.add("--cores", options.cores, "progress cores a rank, 0 for none: 0,1,2", {0, 1024});
  line.add("--pieces", options.lanes, "lanes: 1,2,4", {1, 64});
  line.add(
      "--bytes",
      [&](const std::string& text, const std::string& option) {
        options.bytes = parse_list<long>(text, ',', option, {1, 1L << 40});
      },
      "of a message", "INT,..");
  line.add("--rounds", options.rounds, "rounds over all settings", {1, 1000});
  line.add("--seconds", options.seconds, "of a measurement", {0.001, 60.0});
  line.add("--out", options.out, "file for the lines of JSON (usual: the terminal)");
  add_options(line, settings);
  line.parse(argc, argv);

  World outer(argc, argv, settings); // keeps MPI, while worlds of other settings come and go
  if (outer.rank() == 0 && !options.out.empty()) refuse_output(options.out, "--out");
  bench::Lanes lanes(options, settings);
  lanes.measure();
  if (outer.rank() != 0) return 0;
  if (options.out.empty()) {
    lanes.write(std::cout, outer.size());
  } else {
    std::ofstream file(options.out);
    lanes.write(file, outer.size());
    if (!file) throw Error("cannot write " + options.out, "name a file in a folder that there is");
  }
  return 0;
}

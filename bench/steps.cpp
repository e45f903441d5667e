// tasuki-bench-steps: microseconds a step of the programs at many sizes, in one start of the ranks, an executor after
// the other. A line of JSON for each goes to --out as soon as it is measured, one that says why where an executor
// refuses.
//
//   mpirun -n 2 tasuki-bench-steps --executors eager,graph --out rows.jsonl laplace/512x512/norm himeno/S
//
// A case is words with slashes between: the program, its size, and
//   norm     the sum over all devices in every step, held against a threshold a step late, as who waits for convergence does
//   norm10   the sum in every tenth step, and held against a threshold at once; norm1: in every step
//   200steps a run of so many steps, of a program that has never been run: with whatever it tries on its way
//   block    the size is a rank's, and the ranks lie along the slowest axis
//   nvidia   (laplace) the boundary of NVIDIA's samples; else the top row is hot
//   27       (diffusion) points of the stencil; else 7
#include <apps/diffusion/diffusion.hpp>
#include <apps/himeno/himeno.hpp>
#include <apps/laplace/laplace.hpp>
#include <bench/lines.hpp>
#include <tasuki/base/number.hpp>
#include <tasuki/file/record.hpp>
#include <tasuki/model/halo_choice.hpp>

#include <nlohmann/json.hpp>
#include <tasuki/base/options.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <sstream>

namespace tasuki::bench {
namespace {

using Json = nlohmann::json;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

struct Case {
  std::string name, program, size;
  std::vector<std::string> words;

  explicit Case(const std::string& text) : name(text) {
    const std::vector<std::string> parts = split(text, '/');
    if (parts.size() < 2) throw Error("'" + text + "' is no case", "write it as laplace/512x512/norm");
    program = parts[0];
    size = parts[1];
    words.assign(parts.begin() + 2, parts.end());
  }
  bool has(const std::string& word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  // The number in the first word that has one and begins and ends so, 0 where there is none.
  long number(const std::string& begins, const std::string& ends) const {
    for (const std::string& word : words) {
      if (word.size() <= begins.size() + ends.size() || word.rfind(begins, 0) != 0 ||
          word.compare(word.size() - ends.size(), ends.size(), ends) != 0)
        continue;
      return parse_number<long>(word.substr(begins.size(), word.size() - begins.size() - ends.size()), name);
    }
    return 0;
  }
  long steps() const { return number("", "steps"); }
  // Steps from a norm to the next, 0: it is off.
  long norm() const { return has("norm") ? 1 : number("norm", ""); }
  // Extents of the whole grid on so many ranks.
  std::vector<long> extents(std::size_t dims, int ranks) const {
    std::vector<long> n = parse_extents(size, name);
    if (n.size() != dims)
      throw Error(name + " has " + std::to_string(n.size()) + " extents", "give " + std::to_string(dims));
    if (has("block")) n.back() *= ranks;
    return n;
  }
};

// How long a case is timed, and how often.
struct Effort {
  double seconds = 0.3;
  int repeats = 3;
};

struct Times {
  long steps = 0;
  std::vector<double> seconds; // a step, by repetition
  RunReport report;            // of the fastest
};

// So many steps, or as many as fill the time, found by runs that grow. The same on all ranks, whose reports agree.
Times time_program(const Items& step, const Until& until, const Effort& effort, long steps) {
  constexpr long kFirst = 20, kMost = 1L << 20;
  std::optional<Program> program(step);
  run(*program, {.times = 4, .until = until});
  const double wanted = effort.seconds / effort.repeats;
  Times times;
  for (times.steps = steps ? kMost : kFirst; times.steps < kMost;) {
    const double took = run(*program, {.times = times.steps, .until = until}).seconds;
    if (took > 0.5 * wanted) break;
    const double more = std::clamp(wanted / took, 1.5, 10.0);
    times.steps = std::min(kMost, static_cast<long>(more * static_cast<double>(times.steps)));
  }
  if (steps) times.steps = steps;
  for (int i = 0; i < effort.repeats; ++i) {
    if (steps) program.emplace(step); // it remembers nothing
    const RunReport report = run(*program, {.times = times.steps, .until = until});
    if (report.steps != times.steps)
      throw Error("a run ended after " + std::to_string(report.steps) + " of " + std::to_string(times.steps) +
                      " steps",
                  "start it again");
    const double a_step = report.seconds / static_cast<double>(report.steps);
    if (times.seconds.empty() || a_step < *std::min_element(times.seconds.begin(), times.seconds.end()))
      times.report = report;
    times.seconds.push_back(a_step);
  }
  return times;
}

// Sums become everyone's and are looked at; no norm is below zero.
template <class Sum>
Until look(const Sum& sum, const Case& c) {
  return c.norm() ? below(sum, 0.0, c.norm(), c.has("norm") ? 1 : 0) : Until{};
}
Looks looks_of(const Case& c) { return {.every = c.norm(), .late = c.has("norm")}; }

// What a step of a case moves at least, and how it was cut.
struct Work {
  Times times;
  double cells = 0;        // updated in a step
  double bytes_a_cell = 0; // read and written
  double flop_a_cell = 0;
  GridInfo grid;
};

// Each program with the halo that it has by default: with an executor that is forced its own, else the one chosen for it.
Work laplace_work(World& world, const Case& c, const Effort& effort) {
  const std::vector<long> n = c.extents(2, world.size());
  const laplace::Problem problem = {n[0], n[1],
                                    c.has("nvidia") ? laplace::Boundary::nvidia : laplace::Boundary::hot_top};
  const auto it = with_best_halo(
      world, [&](const ChosenHalo& chosen) { return laplace::Laplace<float>(world, problem, chosen); },
      [&](const laplace::Laplace<float>& l) { return l.step(c.norm()); }, looks_of(c));
  return {time_program(it.step(c.norm()), look(it.change, c), effort, c.steps()),
          static_cast<double>(it.problem.cells()), 8, 4, grid_info(it.grid)};
}

Work himeno_work(World& world, const Case& c, const Effort& effort) {
  const long norm = c.norm() ? c.norm() : 1L << 40;
  const auto it = with_best_halo(
      world,
      [&](const ChosenHalo& chosen) { return himeno::Himeno(world, himeno::Problem::of(c.size), chosen); },
      [&](const himeno::Himeno& h) { return h.step(norm); }, looks_of(c));
  return {time_program(it.step(norm), look(it.gosa, c), effort, c.steps()), it.problem.cells(), 56, 34,
          grid_info(it.grid)};
}

Work diffusion_work(World& world, const Case& c, const Effort& effort) {
  const std::vector<long> n = c.extents(3, world.size());
  const int points = c.has("27") ? 27 : 7;
  const diffusion::Problem problem = {.extents = {n[0], n[1], n[2]}, .points = points};
  const auto it = with_best_halo(
      world, [&](const ChosenHalo& chosen) { return diffusion::Diffusion<double>(world, problem, chosen); },
      [](const diffusion::Diffusion<double>& d) { return d.step(); });
  return {time_program(it.step(), {}, effort, c.steps()), it.problem.cells(), 16, points == 7 ? 9.0 : 30.0,
          grid_info(it.grid)};
}

struct ProgramWork {
  const char* name;
  Work (*work)(World&, const Case&, const Effort&);
};
constexpr ProgramWork kPrograms[] = {
    {"laplace", laplace_work}, {"himeno", himeno_work}, {"diffusion", diffusion_work}};

Work work_of(World& world, const Case& c, const Effort& effort) {
  for (const ProgramWork& program : kPrograms)
    if (c.program == program.name) return program.work(world, c, effort);
  throw Error(c.name + " names no program", "use laplace, himeno or diffusion");
}

Json row(World& world, const Case& c, const std::string& executor, const Effort& effort) {
  Json row = {
      {"case", c.name}, {"executor", executor}, {"ranks", world.size()}, {"threads", world.threads()}};
  try {
    const Work work = work_of(world, c, effort);
    const RunReport& report = work.times.report;
    if (executor != "auto" && report.executor != executor)
      throw Error("there is no executor '" + executor + "' here", "choose one that --help names");
    const auto [least, most] = std::minmax_element(work.times.seconds.begin(), work.times.seconds.end());
    double sum = 0;
    for (const double s : work.times.seconds) sum += s;
    row.update({{"chosen", report.executor},
                {"steps", work.times.steps},
                {"seconds", *least},
                {"largest", *most},
                {"mean", sum / static_cast<double>(work.times.seconds.size())},
                {"cells", work.cells},
                {"bytes_a_cell", work.bytes_a_cell},
                {"flop_a_cell", work.flop_a_cell},
                {"blocks", work.grid.ranks},
                {"halo", work.grid.halo}});
    for (const auto& [name, use] : report.channels)
      if (use.messages) row["channels"][name] = {{"bytes", use.bytes}, {"messages", use.messages}};
  } catch (const Error& error) {
    row["refused"] = error.what();
  }
  return row;
}

} // namespace
} // namespace tasuki::bench

int main(int argc, char** argv) {
  using namespace tasuki;
  using namespace tasuki::bench;
  Settings settings;
  Effort effort;
  std::string executors = "auto", out;
  std::vector<std::string> names;
  OptionParser line("bench-steps", "Microseconds a step of the programs at many sizes, by executor");
  line.add("cases", names, "laplace/512x512/norm, himeno/S, diffusion/64x64x64/block/27 ..").required();
  line.add("--executors", executors, "a list, with commas");
  line.add("--out", out, "lines of JSON are added to this file [none; they are printed]");
  line.add("--seconds", effort.seconds, "that a case is timed", above(0));
  line.add("--repeats", effort.repeats, "parts of that time", {1, 1000});
  add_options(line, settings);
  line.parse(argc, argv);
  settings.progress = "none";

  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided); // worlds come and go
  for (const std::string& executor : split(executors, ',')) {
    settings.executor = executor;
    World world(0, nullptr, settings);
    bench::Lines kept(world.rank() == 0 ? out : "");
    for (const std::string& name : names) {
      const std::string line = row(world, Case(name), executor, effort).dump();
      if (world.rank() != 0) continue;
      kept.add(line);
      if (out.empty()) std::printf("%s\n", line.c_str());
    }
  }
  MPI_Finalize();
}

// tasuki-bench-wilson: the Wilson-Dirac operator and its solvers, in one start of the ranks. A table, and with --out a line
// of JSON for each figure.
//
//   mpirun -n 1 tasuki-bench-wilson --device cuda 32x32x32x64 16x16x16x32
//
// An operator is H on all sites, 1320 flop each. Its bytes a site are those of 8 links and 8 spinors: 8 x 18 or 12 numbers
// and 8 x 24, which is what moves where nothing of a neighbour is found in a cache. Shares are of what a copy of a field
// streams in the same run, read and written. An iteration is one of BiCGStab, of 6336 flop an even site and of
// 4 operators' halves and 20 more spinors. Of several columns at once times, flop and bytes are those of one, to which
// links are counted as its share. Of two solves the second is timed.
#include <apps/wilson/operator/hopping.hpp>
#include <apps/wilson/solver/krylov.hpp>
#include <apps/wilson/solver/solver.hpp>
#include <bench/lines.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/settings.hpp>

#include <nlohmann/json.hpp>
#include <tasuki/base/options.hpp>

#include <chrono>
#include <cstdio>

namespace tasuki::wilson {
namespace {

using Json = nlohmann::json;
using Extents = std::array<long, kAxes>;

constexpr double kKappa = 0.13, kWidth = 0.4; // of a field that is solved in some fifty iterations

struct Options {
  std::vector<std::string> lattices;
  std::string out;
  double seconds = 1;
  int sums = 2;
  std::vector<int> columns = {1, 12}, links = {18, 12};
  std::string precision = "all";
  int iterations = 16;
};

Extents extents_of(const std::string& text) {
  Extents e{};
  if (std::sscanf(text.c_str(), "%ldx%ldx%ldx%ld", &e[0], &e[1], &e[2], &e[3]) != 4)
    throw Error("'" + text + "' is no lattice", "write it as 32x32x32x64: x, y, z, t");
  return e;
}

struct CopyCell {
  TS_CELL void operator()(auto c, auto from, auto to) const { to(c) = from(c); }
};

template <class S>
struct Noise {
  TS_CELL void operator()(auto c, auto out) const {
    Spinor<Real<S>> spinor{};
    for (int k = 0; k < kSpinorReals / 2; ++k) {
      const auto place = static_cast<int>(c[0] * 7 + c[1] * 13 + c[2] * 29 + c[3] * 53 + k * 5);
      spinor.s[k / kColours].c[k % kColours] = {static_cast<Real<S>>(place % 31 - 15),
                                                static_cast<Real<S>>(place % 17 - 8)};
    }
    store_site<S>(out, c, spinor);
  }
};

// Seconds of a step of a program, as often as it takes.
double timed(const Program& step, double seconds) {
  run(step, {.times = 4});
  long times = 8;
  for (;;) {
    const RunReport report = run(step, {.times = times});
    if (report.seconds > seconds || times > 1L << 20)
      return report.seconds / static_cast<double>(report.steps);
    times =
        static_cast<long>(static_cast<double>(times) * std::clamp(1.3 * seconds / report.seconds, 1.5, 50.0));
  }
}

class Bench {
public:
  Bench(World& world, const Extents& extents, const Options& options)
      : world_(world), options_(options), lattice_(world, extents), gauge_(lattice_) {
    set_weak(gauge_, kWidth, 1);
    const double cells = static_cast<double>(lattice_.sites()) * 8; // as much as a field of spinors in single
    Grid<1> grid(world, {static_cast<long>(cells)});
    Field<double> a(grid, "a"), b(grid, "b");
    stream_ =
        16 * cells / timed(program(sweep(CopyCell{}, grid.all(), reads(a), writes(b))), options.seconds);
    if (world.rank() == 0) std::printf("a copy streams %.4g GB/s\n", stream_ * 1e-9);
  }

  template <class S>
  void measure(const std::string& name, int numbers, int columns, const std::function<void(Json)>& keep) {
    const double links = sizeof(typename Stored<S>::Element) * 8.0 * numbers / columns;
    const double spinor = sizeof(typename Stored<S>::Element) * Stored<S>::kPlanes;
    const double bytes = links + 8 * spinor, sites = static_cast<double>(lattice_.sites());
    const auto dirac = make_dirac<S>(gauge_, {.kappa = kKappa, .phase = {0, 0, 0, 1}}, numbers);
    const auto row = [&](const char* what, double seconds, double flops, double moved) {
      Json row = row_of(what, name, numbers, columns, seconds, flops);
      row.update(
          {{"bytes", moved}, {"bytes_per_second", moved / seconds}, {"stream_bytes_per_second", stream_}});
      return row;
    };
    const Block block(lattice_, columns);
    {
      const auto even = make_spinors<S>(block, "even"), odd = make_spinors<S>(block, "odd");
      const double seconds =
          timed(program(dirac->hop(0, even, odd), dirac->hop(1, odd, even)), options_.seconds) / columns;
      keep(row("operator", seconds, 1320 * sites, bytes * sites));
    }
    const auto krylov = make_krylov<S>(block, *dirac, kKappa, {Method::bicgstab, options_.sums, 16});
    const Program noise = program(sweep(Noise<S>{}, block.all(), writes(krylov->residual())));
    const std::vector<Goal> goals(static_cast<std::size_t>(columns), Goal{.most = options_.iterations});
    const auto go = [&] {
      run(noise);
      const auto start = std::chrono::steady_clock::now();
      const Stretch stretch = krylov->advance(goals, [](int, double) { return false; }).front();
      const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return of_root(world_, took / std::max(1, stretch.iterations)) / columns; // all ranks go on as often
    };
    go();
    double least = go();
    const double times = static_cast<double>(options_.iterations) * columns;
    for (double sum = times * least; sum < options_.seconds; sum += times * least)
      least = std::min(least, go());
    keep(row("iteration", least, 6336 * sites / 2, (4 * bytes + 20 * spinor) * sites / 2));
  }

  void solve(Precision inner, int columns, const std::function<void(Json)>& keep) {
    SpinorField b(lattice_, "b");
    for (const auto& parity : b.parity) run(sweep(Noise<double>{}, lattice_.grid().all(), writes(parity)));
    const int numbers = inner == Precision::double_ ? 18 : 12;
    Solver solver(
        gauge_, {.kappa = kKappa, .phase = {0, 0, 0, 1}},
        {.inner = inner, .links = numbers, .tolerance = 1e-10, .sums = options_.sums, .columns = columns});
    const auto solve = [&] {
      for (int k = 0; k < columns; ++k) solver.put(k, b);
      return solver.solve().front(); // they are all the same
    };
    solve(); // the first one chooses executors, and makes graphs
    const SolveReport report = solve();
    Json row = row_of("solve", to_string(inner), numbers, columns, report.seconds, report.flops);
    row.update({{"iterations", report.iterations},
                {"updates", report.updates},
                {"residual", report.residual},
                {"converged", report.converged}});
    keep(row);
  }

private:
  Json row_of(const std::string& what, const std::string& precision, int numbers, int columns, double seconds,
              double flops) const {
    return {{"case", "wilson/" + what},
            {"precision", precision},
            {"links", numbers},
            {"columns", columns},
            {"extents", lattice_.extents()},
            {"ranks", world_.size()},
            {"threads", world_.threads()},
            {"device", world_.part<Device>().name()},
            {"seconds", seconds},
            {"flops_per_second", flops / seconds}};
  }

  World& world_;
  Options options_;
  Lattice lattice_;
  Gauge gauge_;
  double stream_ = 0; // bytes a second
};

} // namespace
} // namespace tasuki::wilson

int main(int argc, char** argv) {
  using namespace tasuki;
  using namespace tasuki::wilson;
  Settings settings;
  tasuki::wilson::Options o;
  OptionParser line("bench-wilson", "The Wilson-Dirac operator and its solvers");
  line.add("lattices", o.lattices, "sites: 32x32x32x64 16x16x16x32").required();
  line.add("--seconds", o.seconds, "that a figure is timed at least", above(0));
  line.add("--waits", o.sums, "sums that an iteration waits for, 2 or 3", {2, 3});
  line.add("--columns", o.columns, "right-hand sides at once: 1,12", {1, kMostColumns});
  line.add("--links", o.links, "numbers that a link is stored as: 18,12", {12, 18});
  line.choice("--precision", o.precision, {"all", "double", "single", "half"}, "that is measured");
  line.add("--iterations", o.iterations, "that a run of the figure `iteration` has", {1, 1000});
  line.add("--out", o.out, "lines of JSON are added to this file");
  add_options(line, settings);
  line.parse(argc, argv);

  World world(argc, argv, settings);
  bench::Lines kept(world.rank() == 0 ? o.out : "");
  for (const std::string& text : o.lattices) {
    Bench bench(world, extents_of(text), o);
    if (world.rank() == 0)
      std::printf("%14s %10s %9s %6s %8s %12s %10s %10s %8s\n", "lattice", "", "precision", "links",
                  "columns", "us", "GFLOP/s", "GB/s", "share");
    const auto keep = [&](const Json& row) {
      if (world.rank() != 0) return;
      const bool moves = row.contains("bytes");
      std::printf("%14s %10s %9s %6d %8d %12.5g %10.4g", text.c_str(),
                  row["case"].get<std::string>().substr(7).c_str(),
                  row["precision"].get<std::string>().c_str(), row["links"].get<int>(),
                  row["columns"].get<int>(), 1e6 * row["seconds"].get<double>(),
                  1e-9 * row["flops_per_second"].get<double>());
      if (moves)
        std::printf(
            " %10.4g %7.1f%%\n", 1e-9 * row["bytes_per_second"].get<double>(),
            100 * row["bytes_per_second"].get<double>() / row["stream_bytes_per_second"].get<double>());
      else
        std::printf("  %d iterations to %.1e\n", row["iterations"].get<int>(), row["residual"].get<double>());
      std::fflush(stdout);
      kept.add(row.dump());
    };
    const auto wants = [&](const std::string& name) { return o.precision == "all" || o.precision == name; };
    for (const int columns : o.columns) {
      for (const int numbers : o.links) {
        if (wants("double")) bench.measure<double>("double", numbers, columns, keep);
        if (wants("single")) bench.measure<float>("single", numbers, columns, keep);
        if (wants("half")) bench.measure<Half>("half", numbers, columns, keep);
      }
      for (const Precision inner : {Precision::double_, Precision::single, Precision::half})
        if (wants(to_string(inner))) bench.solve(inner, columns, keep);
    }
  }
}

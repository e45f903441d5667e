// A program whose ranks differ: unlike_ranks CASE. Rank 1 does otherwise than the others; the last line is never reached.
#include <tasuki/base/subset.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/tasuki.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace ts = tasuki;

namespace {

struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) + u(c, 0, -1));
  }
};
struct Copy {
  TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c); }
};
struct Total {
  TS_CELL void operator()(auto c, auto u, auto total) const { total(c, u(c)); }
};

template <class T>
void solve(ts::World& world, const std::string& what, bool odd) {
  const auto is = [&](const char* name) { return odd && what == name; };
  const long nx = is("extent") ? 48 : 64;
  const int halo = is("halo") ? 2 : 1;
  ts::Grid<2> grid(world, {nx, 64}, {.halo = halo, .periodic = is("periodic")});
  ts::Field<T> u(grid, is("name") ? "w" : "u"), v(grid, "v");
  if (is("fields")) ts::Field<T> more(grid, "more");
  ts::Sum<double> total(world, "total");
  ts::Max<double> most(world, "total");

  const auto relax =
      ts::sweep(Relax{}, grid.inner(1), ts::reads(u, is("reads") ? ts::box(1) : ts::star(1)), ts::writes(v));
  const auto copy = ts::sweep(Copy{}, grid.all(), ts::reads(u), ts::writes(v));
  const auto sum = ts::sweep(Total{}, grid.inner(is("region") ? 2 : 1), ts::reads(u), ts::reduces(total));
  const auto maximum = ts::sweep(Total{}, grid.inner(1), ts::reads(u), ts::reduces(most));
  ts::Items items = ts::items(relax);
  const auto put = [&](const ts::Items& more) { items.insert(items.end(), more.begin(), more.end()); };
  if (is("order")) {
    items = ts::items(copy);
    put(ts::items(relax));
  } else {
    put(ts::items(copy));
  }
  put(ts::items(is("reduction") ? maximum : sum));
  put(is("every") ? ts::every(2, ts::swap(u, v)) : ts::items(ts::swap(u, v)));
  if (is("call")) put(ts::items(ts::call([](long) {})));

  ts::RunOptions options{.times = is("times") ? 5 : 6};
  if (what == "threshold") options.until = ts::below(total, odd ? -1.0 : -2.0, 2);
  if (is("until")) options.until = ts::below(total, -1.0);
  const ts::Program program(items);
  ts::run(program, options);
  if (is("touched")) v.from_host(v.to_host());
  if (is("again")) ts::run(program, options);
  if (is("value")) std::printf("%g\n", total.value());
  if (is("gather")) u.gather();
  if (is("save")) ts::snapshot("unlike.h5", 6, u);
  if (is("swapped")) u.core()->swap(*v.core());
  ts::run(program, options);
  if (is("leaves")) return;
  std::printf("%g\n", total.value());
}

// A world a rank, side by side, of which one ends with an error: the other ends too.
void in_halves(int argc, char** argv) {
  int rank = 0, level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
  ts::World world(argc, argv, ts::parse_settings(argc, argv), half);
  if (rank == 1) throw ts::Error("one half is wrong", "look at it");
  MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "halves") {
    in_halves(argc, argv);
    return 0;
  }
  ts::World world(argc, argv);
  const bool odd = world.rank() == 1;
  if (what == "subset") {
    if (world.rank() < 2)
      ts::subset(world, odd ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1}); // of four ranks
  } else if (what == "type" && odd)
    solve<double>(world, what, odd);
  else
    solve<float>(world, what, odd);
  if (what == "longer" && odd) ts::Grid<1> grid(world, {64});
  if (what != "") std::printf("nobody saw it\n");
}

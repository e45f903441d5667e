// 27 points in slabs of planes, four steps between synchronisations: a rank computes four planes of either neighbour too. The
// passes over memory are the same, and the same function, whether the neighbours' planes come by MPI, by sections or by
// touches.
#include <bench/space.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/reduce.hpp>

#include <cstring>

namespace tasuki::bench {
namespace {

constexpr long kBlock = 4; // steps

// Planes of width x width of which this rank has own ones, and copies of the neighbours' beside them.
struct Slab {
  long all, width, first, from, to, end; // planes: of the whole; with copies; own; likewise
  double* plane(double* base, long z) const { return base + z * width * width; }
};

// The planes from <= z < to of v, where u and v begin at plane 0 of the whole. The rim stays as it is.
void step(const Slab& s, const double* u, double* v, long from, long to) {
  const long w = s.width, plane = w * w;
  for (long z = from; z < to; ++z)
    for (long y = 0; y < w; ++y) {
      const double* const c = u + z * plane + y * w;
      double* const out = v + z * plane + y * w;
      if (z == 0 || z == s.all - 1 || y == 0 || y == w - 1) {
        std::copy(c, c + w, out);
        continue;
      }
      out[0] = c[0];
      out[w - 1] = c[w - 1];
      for (long x = 1; x < w - 1; ++x) {
        double sum = 0;
        for (long k = -1; k <= 1; ++k)
          for (long j = -1; j <= 1; ++j) {
            const double* const row = c + k * plane + j * w + x;
            sum += row[-1] + row[0] + row[1];
          }
        out[x] = sum / 27;
      }
    }
}

// From a's own planes and copies to b's own planes, by way of two arrays of this rank's.
void block(const Slab& s, const double* a, double* b, std::vector<double>& one, std::vector<double>& two) {
  // As if they began at plane 0.
  double* u = one.data() - s.first * s.width * s.width;
  double* v = two.data() - s.first * s.width * s.width;
  const double* from = a;
  for (long n = 1; n <= kBlock; ++n) { // a plane less at either side, but at the ends of the whole
    const long low = s.first == 0 ? 0 : s.first + n, high = s.end == s.all ? s.all : s.end - n;
    double* const to = n == kBlock ? b : u;
    step(s, from, to, n == kBlock ? s.from : low, n == kBlock ? s.to : high);
    from = u;
    std::swap(u, v);
  }
}

void fill(const Slab& s, double* a) {
  for (long k = s.from * s.width * s.width; k < s.to * s.width * s.width; ++k)
    a[k] = static_cast<double>(k * 31 % 97) / 97;
}

// Own planes to the neighbours that have copies of them.
void exchange(const World& world, const Slab& s, double* a) {
  const int me = world.rank(), below = me > 0 ? me - 1 : MPI_PROC_NULL;
  const int above = me + 1 < world.size() ? me + 1 : MPI_PROC_NULL;
  const int count = static_cast<int>(kBlock * s.width * s.width);
  MPI_Request all[4];
  MPI_Irecv(s.plane(a, s.first), count, MPI_DOUBLE, below, 5, world.comm(), &all[0]);
  MPI_Irecv(s.plane(a, s.to), count, MPI_DOUBLE, above, 6, world.comm(), &all[1]);
  MPI_Isend(s.plane(a, s.from), count, MPI_DOUBLE, below, 6, world.comm(), &all[2]);
  MPI_Isend(s.plane(a, s.to - kBlock), count, MPI_DOUBLE, above, 5, world.comm(), &all[3]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

} // namespace

void points(Space& space, long planes, long width, int blocks, const Keep& keep) {
  World& world = space.world();
  const long me = world.rank(), all = planes * world.size();
  const Slab s{.all = all,
               .width = width,
               .first = std::max(0L, me * planes - kBlock),
               .from = me * planes,
               .to = (me + 1) * planes,
               .end = std::min(all, (me + 1) * planes + kBlock)};
  const auto doubles = static_cast<std::size_t>((s.end - s.first) * width * width);
  std::vector<double> one(doubles), two(doubles), by_hand(doubles), next(doubles);
  const auto n = [](long extent) { return static_cast<std::size_t>(extent); };
  double* a = by_hand.data() - s.first * width * width;
  double* b = next.data() - s.first * width * width;
  fill(s, a);
  struct Way { // a pair of arrays of the space, and whether neighbours' planes are asked for
    bool preloads;
    double *from, *to;
    std::vector<double> seconds;
  };
  std::vector<Way> ways;
  for (const bool preloads : {true, false}) {
    const auto array = [&](const char* name) {
      return space.array<double>({all, width, width}, space.bands({all, width, width}, sizeof(double)), name)
          .data();
    };
    ways.push_back({preloads, array("old"), array("new"), {}});
    fill(s, ways.back().from);
  }
  space.sync();
  const auto bring = [&](double* u) {
    const auto ask = [&](long from, long to) {
      if (from < to)
        space.preload(s.plane(u, from), {n(all), n(width), n(width)}, {n(to - from), n(width), n(width)},
                      sizeof(double), false, true);
    };
    ask(s.first, s.from);
    ask(s.to, s.end);
  };
  // Seconds of the slowest rank.
  const auto timed = [&](const auto& act) {
    MPI_Barrier(world.comm());
    return reduce_max(world, seconds_of(act));
  };

  // In turns: others may use the machine. Copies and pages are new in the first two blocks, which are no measurement.
  std::vector<double> mpi;
  for (int k = 0; k < blocks + 2; ++k) {
    mpi.push_back(timed([&] {
      exchange(world, s, a);
      block(s, a, b, one, two);
    }));
    std::swap(a, b);
    for (Way& way : ways) {
      way.seconds.push_back(timed([&] {
        if (way.preloads) bring(way.from);
        block(s, way.from, way.to, one, two);
        space.sync();
      }));
      std::swap(way.from, way.to);
    }
  }
  const auto measured = [](const std::vector<double>& times) {
    return times_of({times.begin() + 2, times.end()});
  };
  const std::size_t own = n((s.to - s.from) * width * width) * sizeof(double);
  for (const Way& way : ways) {
    if (std::memcmp(s.plane(way.from, s.from), s.plane(a, s.from), own) != 0)
      throw Error("the 27 points of a space and of MPI differ", "it is wrong: report it");
    if (world.rank() == 0)
      keep({way.preloads ? "27 points, 4 steps, by sections" : "27 points, 4 steps, by touches",
            measured(way.seconds), "MPI by hand", measured(mpi)});
  }
  for (const Way& way : ways) {
    space.free(std::min(way.from, way.to));
    space.free(std::max(way.from, way.to));
  }
}

} // namespace tasuki::bench

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
  // Seconds a block, of the slowest rank; the first block is no measurement: copies and pages are new in it.
  const auto timed = [&](const auto& before, const auto& after, auto& from, auto& to) {
    std::vector<double> times;
    for (int k = 0; k <= blocks; ++k) {
      MPI_Barrier(world.comm());
      const double seconds = seconds_of([&] {
        before(from);
        block(s, from, to, one, two);
        after();
      });
      times.push_back(reduce_max(world, seconds));
      std::swap(from, to);
    }
    times.erase(times.begin());
    return times_of(times);
  };

  double* a = by_hand.data() - s.first * width * width;
  double* b = next.data() - s.first * width * width;
  fill(s, a);
  const Times mpi = timed([&](double* u) { exchange(world, s, u); }, [] {}, a, b);

  for (const bool preloads : {true, false}) {
    const space::Map map = space.bands({all, width, width}, sizeof(double));
    double* c = space.array<double>({all, width, width}, map, "old").data();
    double* d = space.array<double>({all, width, width}, map, "new").data();
    double* const arrays[] = {c, d};
    fill(s, c);
    space.sync();
    const auto bring = [&](double* u) {
      const auto ask = [&](long from, long to) {
        if (preloads && from < to)
          space.preload(s.plane(u, from), {n(all), n(width), n(width)}, {n(to - from), n(width), n(width)},
                        sizeof(double), false, true);
      };
      ask(s.first, s.from);
      ask(s.to, s.end);
    };
    const Times seconds = timed(
        bring, [&] { space.sync(); }, c, d);
    const std::size_t own = n((s.to - s.from) * width * width) * sizeof(double);
    if (std::memcmp(s.plane(c, s.from), s.plane(a, s.from), own) != 0)
      throw Error("the 27 points of a space and of MPI differ", "it is wrong: report it");
    if (world.rank() == 0)
      keep({preloads ? "27 points, 4 steps, by sections" : "27 points, 4 steps, by touches", seconds,
            "MPI by hand", mpi});
    space.free(arrays[0]);
    space.free(arrays[1]);
  }
}

} // namespace tasuki::bench

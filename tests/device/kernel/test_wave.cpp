// The walk of a wave, played on the host: three steps of a sweep against three steps one after another, bit for bit, for
// blocks of any size whose axes end, are cut, or are periodic.
#include <tests/device/kernel/thread_block.hpp>

#include <tasuki/device/kernel/wave_cuda.hpp>

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <random>

namespace tasuki::detail {
namespace {

constexpr int kHalo = kWaveSteps, kEndless = 1 << 28;
enum class Axis { ends, cut, periodic_cut, round }; // round: periodic, and the block is its own neighbour

// Sums all cells around, with weights that differ, so that a cell read in the place of another one is seen.
struct Mix {
  int reach[3];
  int skipped; // cells that stay unwritten: one in so many; 0: none

  template <class C, class U, class K, class V, class R>
  void operator()(const C& c, const U& u, const K& k, const V& v, const R& r) const {
    if (skipped > 0 && (c[0] + 3 * c[1] + 5 * c[2]) % skipped == 0) return;
    auto sum = u(c) * k(c);
    for (int z = -reach[2]; z <= reach[2]; ++z)
      for (int y = -reach[1]; y <= reach[1]; ++y)
        for (int x = -reach[0]; x <= reach[0]; ++x)
          sum += u(c, x, y, z) * static_cast<decltype(sum)>(0.01 * (9 * z + 3 * y + x + 14) - 0.13);
    for (int a = 0; a < 3; ++a) sum += static_cast<decltype(sum)>(c[a]) / 512;
    v(c) = sum;
    r(c, sum);
  }
};

// Two memories of a grid, one step after another.
template <class T>
struct Whole {
  std::array<long, 3> n;
  std::array<bool, 3> periodic;
  std::array<int, 3> lo, hi; // the region
  std::vector<T> a, b, k;

  long at(long x, long y, long z) const { return x + n[0] * (y + n[1] * z); }
  struct View {
    const Whole& whole;
    const std::vector<T>& from;
    T operator()(const Cell<3>& c, int x = 0, int y = 0, int z = 0) const {
      const long by[3] = {x, y, z};
      long i[3];
      for (int axis = 0; axis < 3; ++axis) {
        const long extent = whole.n[static_cast<std::size_t>(axis)];
        i[axis] = (c.x[axis] + by[axis] + extent) % extent;
      }
      return from[static_cast<std::size_t>(whole.at(i[0], i[1], i[2]))];
    }
  };
  void step(const Mix& f) {
    Cell<3> c{};
    for (int axis = 0; axis < 3; ++axis) c.geometry.extent[axis] = n[static_cast<std::size_t>(axis)];
    for (c.x[2] = lo[2]; c.x[2] < hi[2]; ++c.x[2])
      for (c.x[1] = lo[1]; c.x[1] < hi[1]; ++c.x[1])
        for (c.x[0] = lo[0]; c.x[0] < hi[0]; ++c.x[0])
          f(
              c, View{*this, a}, View{*this, k},
              [&](const Cell<3>& to) -> T& {
                return b[static_cast<std::size_t>(at(to.x[0], to.x[1], to.x[2]))];
              },
              [](const Cell<3>&, T) {});
    std::swap(a, b);
  }
};

template <class T>
struct Case {
  std::array<Axis, 3> axis;
  Geometry<3> g{};
  Wave w{};
  Mix f{};
  Whole<T> whole;
  std::vector<T> source, target, k;
  long lead = 0;

  explicit Case(std::mt19937& random) {
    const auto any = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
    constexpr WaveShape shape = wave_shape(sizeof(T));
    const int most[3] = {2 * shape.wide + 5, shape.rows() + 9, 24};
    long cells = 1;
    for (int a = 0; a < 3; ++a) {
      const auto axis_of = static_cast<std::size_t>(a);
      axis[axis_of] = static_cast<Axis>(any(0, 3));
      const bool round = axis[axis_of] == Axis::round,
                 cut = axis[axis_of] == Axis::cut || axis[axis_of] == Axis::periodic_cut;
      const int owned = any(round ? kHalo : 1, most[a]), before = cut ? any(0, 5) : 0,
                after = cut ? any(axis[axis_of] == Axis::periodic_cut ? kHalo : 0, 5) : 0;
      f.reach[a] = any(0, 3) > 0;
      g.owned[a] = owned;
      g.origin[a] = before;
      g.extent[a] = before + owned + after;
      g.stride[a] = cells;
      lead += kHalo * cells;
      cells *= owned + 2 * kHalo;
      const bool periodic = round || axis[axis_of] == Axis::periodic_cut;
      const int extent = static_cast<int>(g.extent[a]), margin = periodic ? 0 : f.reach[a] + any(0, 1);
      whole.n[axis_of] = extent;
      whole.periodic[axis_of] = periodic;
      whole.lo[axis_of] = std::min(margin, extent);
      whole.hi[axis_of] = std::max(whole.lo[axis_of], extent - margin);
      w.region_lo[a] = periodic ? -kEndless : whole.lo[axis_of] - before;
      w.region_hi[a] = periodic ? kEndless : whole.hi[axis_of] - before;
      w.first[a] = periodic ? -kEndless : -before;
      w.last[a] = periodic ? kEndless : extent - before;
      w.reach[a] = f.reach[a];
      w.wraps[a] = round;
      if (a == 2) continue;
      const int own = (a == 0 ? shape.wide : shape.rows()) - 2 * kWaveSteps;
      w.tiles[a] = (owned + own - 1) / own;
      w.tile[a] = (owned + w.tiles[a] - 1) / w.tiles[a];
    }
    f.skipped = std::max(0, any(-3, 9));
    for (std::vector<T>* field : {&whole.a, &whole.b, &whole.k})
      for (long i = 0; i < whole.n[0] * whole.n[1] * whole.n[2]; ++i)
        field->push_back(static_cast<T>(any(-1000, 1000)) / 1024);
    const T none = std::numeric_limits<T>::quiet_NaN();
    source.assign(static_cast<std::size_t>(cells), none);
    target = k = source;
    over_block(kHalo, [&](long i, long from) {
      source[static_cast<std::size_t>(i)] = whole.a[static_cast<std::size_t>(from)];
      target[static_cast<std::size_t>(i)] = whole.b[static_cast<std::size_t>(from)];
      k[static_cast<std::size_t>(i)] = whole.k[static_cast<std::size_t>(from)];
    });
  }

  // Calls body(in the block, in the whole grid) for the cells that the block has, with `halo` cells around where it is cut.
  template <class Body>
  void over_block(int halo, const Body& body) const {
    long x[3];
    const auto inner = [&](auto& self, int a, long i, bool) -> void {
      if (a < 0) {
        body(lead + i, whole.at(x[0], x[1], x[2]));
        return;
      }
      const auto axis_of = static_cast<std::size_t>(a);
      const int depth = axis[axis_of] == Axis::round ? 0 : halo;
      for (int local = -depth; local < g.owned[a] + depth; ++local) {
        const long at = g.origin[a] + local, n = whole.n[axis_of];
        if (!whole.periodic[axis_of] && (at < 0 || at >= n)) continue;
        x[a] = (at % n + n) % n;
        self(self, a - 1, i + local * g.stride[a], true);
      }
    };
    inner(inner, 2, 0, true);
  }
};

template <class T>
void compare(unsigned seed) {
  std::mt19937 random(seed);
  Case<T> k(random);
  for (int step = 0; step < kWaveSteps; ++step) k.whole.step(k.f);
  const auto blocks = std::uniform_int_distribution<unsigned>(1, 4)(random);
  const auto copies = seed % 2 ? test::Copies::early : test::Copies::late;
  test::ThreadBlocks played(static_cast<std::size_t>(wave_bytes(sizeof(T))), copies,
                            wave_shape(sizeof(T)).threads());
  played.run(blocks, [&] {
    walk_wave<T>(k.g, k.w, blockIdx.x, blocks, k.source.data() + k.lead, k.target.data() + k.lead, 0u, k.f,
                 WaveReads{}, WaveHere<WaveHereIn<T>>{{k.k.data() + k.lead}}, WaveWrites{}, WaveTallies{});
  });
  EXPECT_EQ(played.outside(), 0);
  long wrong = 0;
  // After an odd number of steps the result is in the memory that was not read: `whole.a`, by its swaps.
  k.over_block(0, [&](long i, long from) {
    wrong += k.target[static_cast<std::size_t>(i)] != k.whole.a[static_cast<std::size_t>(from)];
  });
  EXPECT_EQ(wrong, 0) << "seed " << seed << ": owned " << k.g.owned[0] << " x " << k.g.owned[1] << " x "
                      << k.g.owned[2] << ", axes " << static_cast<int>(k.axis[0])
                      << static_cast<int>(k.axis[1]) << static_cast<int>(k.axis[2]) << ", blocks " << blocks;
}

TEST(Wave, DoesThreeStepsAsOneAfterAnother) {
  const unsigned first = std::random_device()();
  std::cout << "seed " << first << '\n';
  for (unsigned k = 0; k < 6 && !testing::Test::HasFailure(); ++k) {
    compare<double>(first + k);
    compare<float>(first + k);
  }
}

} // namespace
} // namespace tasuki::detail

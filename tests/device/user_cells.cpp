// What users write in cells: a root and a choice, a branch, and loops over the directions of a lattice. Compiled only, see packed.py.
#include <tasuki/tasuki.hpp>

#include <cmath>
namespace ts = tasuki;

struct Limited {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    const float dx = u(c, 1, 0) - u(c, -1, 0), dy = u(c, 0, 1) - u(c, 0, -1);
    const float slope = sqrtf(dx * dx + dy * dy);
    v(c) = slope > 1 ? u(c) / slope : u(c);
  }
};
struct Branch {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    float mean = 0.25f * (u(c, 1, 0) + u(c, -1, 0) + u(c, 0, 1) + u(c, 0, -1));
    if (u(c) > 0.5f) mean = mean * 0.5f + sqrtf(mean);
    v(c) = mean;
  }
};

// D2Q9, a local table as nvcc wants it.
TS_CELL constexpr int toward(int q, int axis) {
  constexpr int table[9][2] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  return table[q][axis];
}
struct Loops {
  TS_CELL void operator()(auto c, auto f, auto next) const {
    float p[9], density = 0, u = 0, v = 0;
    for (int q = 0; q < 9; ++q) p[q] = f[q](c, -toward(q, 0), -toward(q, 1));
    for (int q = 0; q < 9; ++q) {
      density += p[q];
      u += p[q] * toward(q, 0);
      v += p[q] * toward(q, 1);
    }
    const float scale = sqrtf(density);
    for (int q = 0; q < 9; ++q) next[q](c) = p[q] + scale * (u * toward(q, 0) + v * toward(q, 1) - p[q]);
  }
};
struct Unrolled {
  TS_CELL void operator()(auto c, auto f, auto next) const {
    float p[9], density = 0, u = 0, v = 0;
    ts::unrolled<9>([&](auto q) {
      p[q] = f[q](c, -toward(q, 0), -toward(q, 1));
      density += p[q];
      u += p[q] * toward(q, 0);
      v += p[q] * toward(q, 1);
    });
    const float scale = sqrtf(density);
    ts::unrolled<9>(
        [&](auto q) { next[q](c) = p[q] + scale * (u * toward(q, 0) + v * toward(q, 1) - p[q]); });
  }
};

template <class F>
void step(const F& cell, ts::Grid<2>& grid, ts::Field<float>& u, ts::Field<float>& v) {
  ts::run(ts::sweep(cell, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v)));
}
template void step(const Limited&, ts::Grid<2>&, ts::Field<float>&, ts::Field<float>&);
template void step(const Branch&, ts::Grid<2>&, ts::Field<float>&, ts::Field<float>&);

template <class F>
void stream(const F& cell, ts::Grid<2>& grid, ts::Field<float[9]>& f, ts::Field<float[9]>& next) {
  ts::run(ts::sweep(cell, grid.inner(1), ts::reads(f, ts::box(1)), ts::writes(next)));
}
template void stream(const Loops&, ts::Grid<2>&, ts::Field<float[9]>&, ts::Field<float[9]>&);
template void stream(const Unrolled&, ts::Grid<2>&, ts::Field<float[9]>&, ts::Field<float[9]>&);

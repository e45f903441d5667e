// What users write in cells: a root and a choice, and a branch. Compiled only, see packed.py.
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

template <class F>
void step(const F& cell, ts::Grid<2>& grid, ts::Field<float>& u, ts::Field<float>& v) {
  ts::run(ts::sweep(cell, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v)));
}
template void step(const Limited&, ts::Grid<2>&, ts::Field<float>&, ts::Field<float>&);
template void step(const Branch&, ts::Grid<2>&, ts::Field<float>&, ts::Field<float>&);

#include <tasuki/field/layout.hpp>

namespace tasuki {
namespace {

long round_up(long n, long to) { return (n + to - 1) / to * to; }

} // namespace

Layout layout_of(int dims, const Index& extents, const Widths& halo) {
  Layout l;
  l.dims = dims;
  l.extents = extents;
  l.halo = halo;
  const long row = halo[0].lo + extents[0] + halo[0].hi;
  long align = 32;
  while (align > 1 && round_up(row, align) * 8 > row * 9) align /= 2;
  long step = 1, inside = 0;
  for (int a = 0; a < dims; ++a) {
    l.stride[a] = step;
    inside += halo[a].lo * step;
    const long n = halo[a].lo + extents[a] + halo[a].hi;
    step = a == 0 ? round_up(row, align) : step * n;
  }
  const long before = round_up(halo[0].lo, align) - halo[0].lo; // so that x = 0 is aligned
  l.lead = before + inside;
  l.plane = round_up(before + step, 64);
  return l;
}

} // namespace tasuki

#include <tasuki/field/layout.hpp>

namespace tasuki {
namespace {

long round_up(long n, long to) { return (n + to - 1) / to * to; }

} // namespace

Layout layout_of(int dims, const Index& extents, const Widths& halo, Padding padding, const Beside& beside) {
  Layout l;
  l.dims = dims;
  l.extents = extents;
  l.halo = halo;
  l.below = beside.below;
  const long row = halo[0].lo + extents[0] + halo[0].hi;
  const auto padded_by_more_than = [&](long align, long part) {
    return round_up(row, align) * part > row * (part + 1);
  };
  long align = 32;
  while (align > 1 && padded_by_more_than(align, padding == Padding::cpu && align > 8 ? 32 : 8)) align /= 2;
  long step = 1, inside = 0;
  for (int a = 0; a < dims; ++a) {
    l.stride[a] = step;
    const Beside& others = a > 0 && a == dims - 1 ? beside : Beside{};
    inside += (halo[a].lo + others.below) * step;
    const long n = halo[a].lo + others.below + extents[a] + others.above + halo[a].hi;
    step = a == 0 ? round_up(row, align) : step * n;
  }
  const long before = round_up(halo[0].lo, align) - halo[0].lo; // so that x = 0 is aligned
  l.lead = before + inside;
  l.plane = round_up(before + step, 64);
  return l;
}

} // namespace tasuki

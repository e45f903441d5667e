// This rank's iterations of a distributed loop: its own indices, an expanded or reduced range, or only their rim.
#include "checking.hpp"
#include "objects.hpp"
#include "plans.hpp"

#include <algorithm>
#include <cstdlib>

namespace tasuki::xmp {
namespace {

// Indices from lo to hi - 1.
struct Stretch {
  long lo, hi;
};

// The iterations along an axis, of the last loop requested along a dimension. A loop in steps of one over cyclic pieces
// is numbers only, since there may be very many pieces.
struct Runs {
  std::vector<Progression> listed;
  long first = 0, cycle = 0,
       width = 0;        // piece k begins at first + k * cycle; cycle is 0 if the runs are listed
  Stretch inside{0, 0};  // what the loop asks for
  long from = 0, to = 0; // the pieces that have some of it: from <= k < to

  Runs() = default;
  Runs(const Cut& cut, int node, const Progression& asked)
      : first(cut.least(node)), cycle(cut.width() * cut.nodes()), width(cut.width()) {
    if (asked.empty()) return;
    inside = {std::max(asked.first, first), std::min(asked.last(), cut.greatest(node)) + 1};
    if (inside.lo >= inside.hi) return;
    from = (inside.lo - first) / cycle;
    if (inside.lo >= first + from * cycle + width) ++from;
    to = std::max(from, (inside.hi - 1 - first) / cycle + 1);
  }
  long size() const { return cycle ? to - from : static_cast<long>(listed.size()); }
  tsk_run piece(long run, bool down) const {
    const long at = first + (down ? to - 1 - run : from + run) * cycle;
    const long lo = std::max(at, inside.lo), hi = std::min(at + width, inside.hi);
    return down ? tsk_run{hi - 1, lo - 1, -1} : tsk_run{lo, hi, 1};
  }
};

struct Loop {
  const char* where;
  tsk_ref on;
  tsk_border border;
  bool takes_part = true;
  Runs runs[TSK_DIMS];
};

// This rank's part of the referenced indices along one dimension.
struct OwnPart {
  Stretch own{0, 0};
  Stretch all{0, 0};
  const Cut* cyclic = nullptr; // set if the own indices are not one range
  int coordinate = 0;
};

OwnPart part_of(const tsk_ref& on, int d) {
  OwnPart part;
  if (on.nodes) {
    const NodesObject& object = nodes_of(on.nodes);
    const int at = object.nodes.coordinates(*object.here())[static_cast<std::size_t>(d)];
    part.own = {at, at + 1};
    part.all = {0, object.nodes.extent(d)};
    return part;
  }
  const Template& t = template_of(on.on_template).t;
  const Template::Axis& axis = t.axes()[static_cast<std::size_t>(d)];
  const int here = *t.nodes().number_of(RunTime::now().world().rank());
  part.coordinate =
      axis.node_dim < 0 ? 0 : t.nodes().coordinates(here)[static_cast<std::size_t>(axis.node_dim)];
  part.own = {axis.cut.least(part.coordinate), axis.cut.greatest(part.coordinate) + 1};
  const Extent extent = axis.cut.extent();
  part.all = {extent.first, extent.first + extent.count};
  if (!axis.cut.linear()) part.cyclic = &axis.cut;
  return part;
}

bool takes_part(const Loop& loop) {
  const int me = RunTime::now().world().rank();
  if (loop.on.nodes) {
    const NodesObject& object = nodes_of(loop.on.nodes);
    if (!object.here()) return false;
  } else {
    const TemplateObject& object = template_of(loop.on.on_template);
    if (!object.fixed())
      throw Error("template '" + object.name + "' is not fixed", "fix it before a loop over it");
    if (!object.t.nodes().number_of(me)) return false;
    if (loop.on.dims != object.t.dims())
      throw Error("template '" + object.name + "' has " + std::to_string(object.t.dims()) +
                      " dimensions, and a loop names " + std::to_string(loop.on.dims),
                  "name each");
  }
  for (int d = 0; d < loop.on.dims; ++d) {
    if (loop.on.sub[d].kind != TSK_ONE) continue;
    const OwnPart part = part_of(loop.on, d);
    const long index = loop.on.sub[d].first;
    if (index < part.all.lo || index >= part.all.hi)
      throw Error("index " + std::to_string(index) + " of a loop is outside of dimension " +
                      std::to_string(d) + ", " + std::to_string(part.all.lo) + " to " +
                      std::to_string(part.all.hi - 1),
                  "name one that there is");
    if (part.cyclic ? part.cyclic->owner(index) != part.coordinate
                    : index < part.own.lo || index >= part.own.hi)
      return false;
  }
  return true;
}

bool has_rim(const Loop& loop) { return loop.border.kind == TSK_MARGIN || loop.border.kind == TSK_PEEL; }

// The number of boxes of a loop: one, or the inner part and the rims below and above along each dimension.
int boxes(const Loop& loop) {
  const int rims = 2 * loop.on.dims;
  return loop.border.kind == TSK_MARGIN ? rims : loop.border.kind == TSK_PEEL ? 1 + rims : 1;
}

// The range of a box along dimension d, for consecutive own indices. The rims are the difference between an outer range
// (own or expanded) and an inner one (own or reduced): inner along dimensions before the rim's, outer along later ones.
Stretch range_of(const Loop& loop, int box, int d, const Stretch& own) {
  if (loop.border.kind == TSK_PLAIN || own.lo >= own.hi) return own;
  const bool peels = loop.border.kind == TSK_PEEL;
  // peel_and_wait gives the width of the rim inside the own range.
  const long lo = peels ? -std::labs(loop.border.lo[d]) : loop.border.lo[d];
  const long hi = peels ? -std::labs(loop.border.hi[d]) : loop.border.hi[d];
  const Stretch moved{own.lo - lo, own.hi + hi};
  if (loop.border.kind == TSK_EXPAND || (peels && box == 0)) return moved;
  const Stretch outer{std::min(own.lo, moved.lo), std::max(own.hi, moved.hi)};
  Stretch inner{std::max(own.lo, moved.lo), std::min(own.hi, moved.hi)};
  if (inner.lo > inner.hi)
    inner = {outer.lo + (outer.hi - outer.lo) / 2, outer.lo + (outer.hi - outer.lo) / 2};
  const int rim = peels ? box - 1 : box, along = rim / 2;
  if (d < along) return inner;
  if (d > along) return outer;
  return rim % 2 == 0 ? Stretch{outer.lo, inner.lo} : Stretch{inner.hi, outer.hi};
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_loop_begin(const char* where, tsk_loop* l, const tsk_ref* on, const tsk_border* border) {
  at(where, [&] {
    auto loop = std::make_unique<Loop>();
    loop->where = where;
    loop->on = *on;
    loop->border = border ? *border : tsk_border{};
    if (on->dims == 0) { // the whole template
      loop->on.dims = on->nodes ? nodes_of(on->nodes).nodes.dims() : template_of(on->on_template).t.dims();
      for (int d = 0; d < loop->on.dims; ++d) loop->on.sub[d] = {TSK_ALL, 0, 0, 0};
    }
    loop->takes_part = takes_part(*loop);
    RunTime::now().checking().loop(true);
    l->box = -1;
    l->of = loop.release();
  });
}

int tsk_loop_next(tsk_loop* l) {
  auto* const loop = static_cast<Loop*>(l->of);
  if (!loop) return 0;
  return at(loop->where, [&] {
    ++l->box;
    if (l->box == 1 && loop->border.kind == TSK_PEEL) RunTime::now().part<Plans>().finish(loop->border.async);
    const bool more =
        l->box < boxes(*loop) && (loop->takes_part || (l->box == 0 && loop->border.kind == TSK_PEEL));
    if (more && loop->takes_part) return 1;
    if (more) RunTime::now().part<Plans>().finish(loop->border.async); // others may wait for its messages
    RunTime::now().checking().loop(false);
    delete loop;
    l->of = nullptr;
    return 0;
  });
}

tsk_axis tsk_loop_axis(tsk_loop* l, int dim, long offset, long first, long bound, long step) {
  auto* const loop = static_cast<Loop*>(l->of);
  return at(loop->where, [&] {
    if (step == 0) throw Error("a loop has a step of 0", "give it another");
    const OwnPart part = part_of(loop->on, dim);
    Progression all = until(first + offset, bound + offset, step); // in indices of the template
    Runs& found = loop->runs[dim];
    found = Runs();
    std::vector<Progression>& runs = found.listed;
    if (part.cyclic) {
      if (loop->border.kind != TSK_PLAIN && (loop->border.lo[dim] || loop->border.hi[dim]))
        throw Error("a loop over cyclic pieces has a border", "cut the template into blocks");
      if (part.cyclic->width() > 1 && std::abs(step) == 1)
        found = Runs(*part.cyclic, part.coordinate, ascending(all));
      else
        runs = part.cyclic->runs(part.coordinate, all);
    } else {
      const Stretch range = range_of(*loop, l->box, dim, part.own);
      if (has_rim(*loop) || loop->border.kind == TSK_EXPAND) {
        if (loop->border.unbound[dim] && !all.empty()) { // the loop's bounds are extended too
          Progression up = ascending(all);
          const long lo = std::max(loop->border.lo[dim], 0L) / up.step,
                     hi = std::max(loop->border.hi[dim], 0L) / up.step;
          all = {up.first - lo * up.step, up.count + lo + hi, up.step};
        }
      }
      if (const Progression mine = intersect(span(range.lo, range.hi), all); !mine.empty())
        runs.push_back(mine);
    }
    if (step < 0) {
      std::reverse(runs.begin(), runs.end());
      for (Progression& run : runs) run = reversed(run);
    }
    tsk_axis axis{};
    axis.runs = found.size();
    axis.more[0] = offset;
    axis.more[1] = step;
    axis.apart = step > 0 ? found.cycle : -found.cycle;
    axis.of = &found;
    if (axis.runs > 0) axis.run = tsk_axis_run(&axis, 0);
    return axis;
  });
}

tsk_run tsk_axis_run(const tsk_axis* x, long run) {
  const Runs& runs = *static_cast<const Runs*>(x->of);
  const long offset = x->more[0], way = x->more[1] > 0 ? 1 : -1;
  if (runs.cycle) {
    const tsk_run piece = runs.piece(run, way < 0);
    return {piece.first - offset, piece.last - offset, way};
  }
  const Progression& p = runs.listed[static_cast<std::size_t>(run)];
  return {p.first - offset, p.last() - offset + way, p.count > 1 ? p.step : x->more[1]};
}
}

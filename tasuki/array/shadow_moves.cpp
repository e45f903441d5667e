#include <tasuki/array/shadow_moves.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <string>

namespace tasuki {
namespace {

// Cells along one dimension that come from the nodes with one coordinate.
struct Piece {
  int owner;           // its coordinate; 0 if the dimension is not distributed
  int side;            // -1: in the lower shadow, 1: in the upper shadow, 0: own
  Progression indices; // global indices at the owner, from 0 to the extent
  long moved;          // the difference to the index in this node's memory, for periodic shadows
};

long floor_div(long a, long b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// Adds the pieces of the indices first .. end - 1 by owner; the indices may lie outside of the array.
void add_owned(std::vector<Piece>& pieces, const AlignedAxis& axis, long first, long end, int side,
               bool periodic) {
  const long n = axis.extent();
  if (n == 0 || first >= end) return;
  const long from = periodic ? floor_div(first, n) : 0, to = periodic ? floor_div(end - 1, n) : 0;
  for (long period = from; period <= to; ++period) {
    const Progression here = intersect(span(first - period * n, end - period * n), span(0, n));
    for (int owner = 0; owner < axis.cut().nodes(); ++owner)
      for (const Progression& indices : axis.held(owner, here))
        pieces.push_back({owner, side, indices, period * n});
  }
}

std::vector<Piece> pieces_of(const AlignedAxis& axis, const Holding::Axis& held, const Shadow& shadow,
                             const ShadowWidth& width, bool through, int at) {
  std::vector<Piece> pieces;
  if (through && width.lo == 0 && width.hi == 0 && axis.linear() && !shadow.full)
    return {{at, 0, span(held.least - held.lo, held.end + held.hi), 0}};
  for (const Progression& indices : axis.held(at, span(0, axis.extent())))
    pieces.push_back({at, 0, indices, 0});
  if (shadow.full && !axis.linear()) { // all cells of other nodes
    for (int owner = 0; owner < axis.cut().nodes(); ++owner)
      if (owner != at)
        for (const Progression& indices : axis.held(owner, span(0, axis.extent())))
          pieces.push_back({owner, owner < at ? -1 : 1, indices, 0});
    return pieces;
  }
  // A node without elements may hold less of a shadow than there is to others.
  const long lo = width.lo < 0 ? held.lo : std::min(width.lo, held.lo);
  const long hi = width.hi < 0 ? held.hi : std::min(width.hi, held.hi);
  add_owned(pieces, axis, held.least - lo, held.least, -1, width.periodic);
  add_owned(pieces, axis, held.end, held.end + hi, 1, width.periodic);
  return pieces;
}

} // namespace

void check_widths(const ShadowPlan& plan, const std::string& name) {
  for (std::size_t d = 0; d < plan.widths.size(); ++d) {
    const ShadowWidth& width = plan.widths[d];
    const Shadow& shadow = (*plan.shadows)[d];
    if (shadow.full) continue;
    if (width.lo > shadow.lo || width.hi > shadow.hi)
      throw Error("a width of " + std::to_string(width.lo > shadow.lo ? width.lo : width.hi) +
                      " along dimension " + std::to_string(d) + " of '" + name +
                      "' is greater than its shadow of " +
                      std::to_string(width.lo > shadow.lo ? shadow.lo : shadow.hi),
                  "give it a wider shadow");
  }
}

void each_shadow_move(const ShadowPlan& plan, int to, int from_or_any,
                      const std::function<void(const ShadowMove&)>& take) {
  const Alignment& alignment = *plan.alignment;
  const int dims = alignment.dims();
  const Holding here(alignment, *plan.shadows, plan.size, to);
  if (here.empty()) return;
  std::vector<std::vector<Piece>> pieces;
  for (int d = 0; d < dims; ++d) {
    const auto at = static_cast<std::size_t>(d);
    pieces.push_back(pieces_of(alignment.axes()[at], here.axis(d), (*plan.shadows)[at], plan.widths[at],
                               plan.through, alignment.coordinate(to, d)));
    if (from_or_any >= 0)
      std::erase_if(pieces.back(), [owner = alignment.coordinate(from_or_any, d)](const Piece& p) {
        return p.owner != owner;
      });
  }
  std::vector<const Piece*> chosen(static_cast<std::size_t>(dims));
  const auto found = [&] {
    Coordinates owner = alignment.nodes().coordinates(to); // an array with copies: from the same copy
    for (int d = 0; d < dims; ++d)
      if (const int dim = alignment.axes()[static_cast<std::size_t>(d)].node_dim(); dim >= 0)
        owner[static_cast<std::size_t>(dim)] = chosen[static_cast<std::size_t>(d)]->owner;
    ShadowMove move{
        .from = alignment.nodes().number(owner), .to = to, .owned = {}, .shadow = {}, .direction = {}};
    if (from_or_any >= 0 && move.from != from_or_any) return;
    const Holding there(alignment, *plan.shadows, plan.size, move.from);
    for (int d = 0; d < dims; ++d) {
      const Piece& piece = *chosen[static_cast<std::size_t>(d)];
      Progression landing = piece.indices;
      landing.first += piece.moved;
      move.owned.push_back(there.cells(alignment, d, piece.indices));
      // Own cells are found by their place; cells of a shadow by their distance from the first cell.
      move.shadow.push_back(
          piece.side == 0 ? here.cells(alignment, d, landing)
                          : Progression{landing.first - here.axis(d).first, landing.count, landing.step});
      move.direction.push_back(-piece.side);
    }
    take(move);
  };
  const auto walk = [&](const auto& self, int d, int sides) -> void {
    if (d == dims) {
      if (sides > 0) found();
      return;
    }
    for (const Piece& piece : pieces[static_cast<std::size_t>(d)]) {
      if (piece.side != 0 && sides > 0 && !plan.corners) continue;
      chosen[static_cast<std::size_t>(d)] = &piece;
      self(self, d + 1, sides + (piece.side != 0));
    }
  };
  walk(walk, 0, 0);
}

} // namespace tasuki

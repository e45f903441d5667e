#include <tasuki/array/holding.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <string>

namespace tasuki {
namespace {

// A node may have a part of the template beside the array's end: of the array it holds what a shadow of that part reaches.
void hold_shadow_alone(Holding::Axis& axis, const AlignedAxis& aligned, const Shadow& shadow, int at) {
  const long n = aligned.extent();
  const long begin = aligned.cut().least(at) - aligned.offset();
  const long end = aligned.cut().greatest(at) + 1 - aligned.offset();
  if (begin >= end) return;
  if (shadow.full) {
    axis.hi = n;
  } else if (end <= 0) {
    axis.hi = std::clamp(end + shadow.hi, 0L, n);
  } else {
    axis.least = axis.end = n;
    axis.lo = std::clamp(n - begin + shadow.lo, 0L, n);
  }
  axis.first = axis.least - axis.lo;
  axis.cells = axis.lo + axis.hi;
}

} // namespace

Holding::Holding(const Alignment& alignment, const std::vector<Shadow>& shadows, long size, int node)
    : size_(size) {
  for (int d = 0; d < alignment.dims(); ++d) {
    const AlignedAxis& aligned = alignment.axes()[static_cast<std::size_t>(d)];
    const Shadow& shadow = shadows[static_cast<std::size_t>(d)];
    const int at = alignment.coordinate(node, d);
    if (shadow.lo < 0 || shadow.hi < 0)
      throw Error("the shadow of dimension " + std::to_string(d) + " of an array is below 0",
                  "give it a width");
    if (!aligned.linear() && !shadow.none() && !shadow.full)
      throw Error(
          "dimension " + std::to_string(d) + " of an array has a shadow and is cut into cyclic pieces",
          "cut it into blocks, or write shadow [*]");
    Axis axis;
    axis.least = aligned.least(at);
    axis.end = aligned.end(at);
    const long own = aligned.count(at);
    axis.linear = aligned.linear() || shadow.full;
    if (own > 0 && shadow.full) {
      axis.first = 0;
      axis.lo = axis.least;
      axis.hi = aligned.extent() - axis.end;
      axis.cells = aligned.extent();
    } else if (own > 0) {
      axis.lo = shadow.lo;
      axis.hi = shadow.hi;
      axis.first = axis.least - axis.lo;
      axis.cells = own + axis.lo + axis.hi;
    } else if (!shadow.none()) {
      hold_shadow_alone(axis, aligned, shadow, at);
    }
    axes_.push_back(axis);
  }
  bytes_ = size;
  for (int d = dims() - 1; d >= 0; --d) {
    axes_[static_cast<std::size_t>(d)].stride = bytes_;
    bytes_ *= axes_[static_cast<std::size_t>(d)].cells;
  }
}

long Holding::cell(const Alignment& alignment, int dim, long index) const {
  return axis(dim).linear ? index - axis(dim).first
                          : alignment.axes()[static_cast<std::size_t>(dim)].place(index);
}

Progression Holding::cells(const Alignment& alignment, int dim, const Progression& indices) const {
  const long first = cell(alignment, dim, indices.first);
  return {first, indices.count, indices.count > 1 ? cell(alignment, dim, indices[1]) - first : 1};
}

long Holding::offset(const Alignment& alignment, const std::vector<long>& index) const {
  long bytes = 0;
  for (int d = 0; d < dims(); ++d)
    bytes += cell(alignment, d, index[static_cast<std::size_t>(d)]) * axis(d).stride;
  return bytes;
}

Strided Holding::box(char* memory, const std::vector<Progression>& cells) const {
  Strided box;
  box.base = memory;
  box.run = size_;
  for (int d = dims() - 1; d >= 0; --d) {
    const Progression& along = cells[static_cast<std::size_t>(d)];
    box.base += along.first * axis(d).stride;
    if (along.count == 1) continue;
    box.count[box.levels] = along.count;
    box.stride[box.levels++] = along.step * axis(d).stride;
  }
  return box;
}

} // namespace tasuki

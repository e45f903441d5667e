#include <tasuki/file/slabs.hpp>

#include <algorithm>

namespace tasuki {

std::vector<Box> slabs(const Box& box, long cells) {
  if (box.empty()) return {};
  if (box.cells() <= std::max(cells, 1L)) return {box};
  int axis = box.dims - 1;
  while (box.extent(axis) == 1) --axis;
  const long plane = box.cells() / box.extent(axis);
  const long thick = std::max(1L, cells / plane);
  std::vector<Box> parts;
  for (long at = box.lo[axis]; at < box.hi[axis]; at += thick) {
    Box part = box;
    part.lo[axis] = at;
    part.hi[axis] = std::min(box.hi[axis], at + thick);
    const std::vector<Box> finer = slabs(part, cells); // one plane may still be too large
    parts.insert(parts.end(), finer.begin(), finer.end());
  }
  return parts;
}

} // namespace tasuki

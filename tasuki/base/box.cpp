#include <tasuki/base/box.hpp>

#include <algorithm>

namespace tasuki {

bool Box::empty() const {
  for (int a = 0; a < dims; ++a)
    if (hi[a] <= lo[a]) return true;
  return dims == 0;
}

long Box::cells() const {
  if (empty()) return 0;
  long n = 1;
  for (int a = 0; a < dims; ++a) n *= extent(a);
  return n;
}

bool Box::contains(const Box& other) const {
  if (other.empty()) return true;
  for (int a = 0; a < dims; ++a)
    if (other.lo[a] < lo[a] || other.hi[a] > hi[a]) return false;
  return true;
}

Box box_of(int dims, const Index& extents) {
  Box b;
  b.dims = dims;
  for (int a = 0; a < dims; ++a) b.hi[a] = extents[a];
  return b;
}

Box intersect(const Box& a, const Box& b) {
  Box r = a;
  for (int k = 0; k < a.dims; ++k) {
    r.lo[k] = std::max(a.lo[k], b.lo[k]);
    r.hi[k] = std::min(a.hi[k], b.hi[k]);
  }
  return r;
}

Box grow(Box box, const Widths& by) {
  for (int a = 0; a < box.dims; ++a) {
    box.lo[a] -= by[a].lo;
    box.hi[a] += by[a].hi;
  }
  return box;
}

Box shift(Box box, const Index& by) {
  for (int a = 0; a < box.dims; ++a) {
    box.lo[a] += by[a];
    box.hi[a] += by[a];
  }
  return box;
}

std::vector<Box> subtract(const Box& whole, const Box& part) {
  std::vector<Box> rest;
  const Box inner = intersect(whole, part);
  if (inner.empty()) {
    if (!whole.empty()) rest.push_back(whole);
    return rest;
  }
  // Slabs along the slowest axis first: these consist of whole rows, the cheapest to traverse.
  Box left = whole;
  for (int a = whole.dims - 1; a >= 0; --a) {
    Box below = left, above = left;
    below.hi[a] = inner.lo[a];
    above.lo[a] = inner.hi[a];
    if (!below.empty()) rest.push_back(below);
    if (!above.empty()) rest.push_back(above);
    left.lo[a] = inner.lo[a];
    left.hi[a] = inner.hi[a];
  }
  return rest;
}

std::string to_string(const Box& box) {
  std::string s;
  for (int a = 0; a < box.dims; ++a)
    s += (a ? " x [" : "[") + std::to_string(box.lo[a]) + ", " + std::to_string(box.hi[a]) + ")";
  return s;
}

} // namespace tasuki

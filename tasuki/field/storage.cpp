#include <tasuki/field/storage.hpp>

namespace tasuki {

long Storage::stride(const Layout& layout, int axis) const {
  return layout.stride[axis] * (axis > 0 && lies_by_rows(components) ? components : 1);
}

long Storage::component_stride(const Layout& layout) const {
  return lies_by_rows(components) ? layout.row() : layout.plane;
}

long Storage::place(const Layout& layout, const Index& local, int component) const {
  long place = component * component_stride(layout);
  for (int a = 0; a < layout.dims; ++a) place += local[a] * stride(layout, a);
  return place;
}

long Storage::lead(const Layout& layout) const {
  long lead = layout.lead;
  for (int a = 1; a < layout.dims; ++a) {
    const long below = layout.halo[a].lo + (a == layout.dims - 1 ? layout.below : 0);
    lead += below * (stride(layout, a) - layout.stride[a]);
  }
  return lead;
}

std::size_t Storage::bytes(const Layout& layout) const {
  return static_cast<std::size_t>(layout.plane * components * element_bytes);
}

Strided Storage::strided(char* origin, const Layout& layout, const Box& local, int component) const {
  Strided s;
  s.base = origin + place(layout, local.lo, component) * element_bytes;
  s.run = local.extent(0) * element_bytes;
  for (int a = 1; a < local.dims; ++a) {
    s.count[s.levels] = local.extent(a);
    s.stride[s.levels++] = stride(layout, a) * element_bytes;
  }
  return s;
}

} // namespace tasuki

// copy(u, v) copies the values of a field to a field of an equally cut grid, on the same device or on another one of the rank.
//
//   Grid<2> here(world, {512, 512}), beside(world, here.cut(), Widths{}, &Device::host(world));
//   Field<float> u(here, "u"), looked_at(beside, "u");
//   copy(u, looked_at);
#pragma once

#include <tasuki/field/field.hpp>

namespace tasuki {

// Copies the owned cells; the halo of `to` is exchanged before it is next read. The copy includes work enqueued before
// on the stream of `from`; work enqueued later on the stream of `to` sees it. Between two devices the host waits for
// both. Throws Error if the fields have different value types, or their grids different decompositions. Local.
void copy(const FieldCore& from, FieldCore& to);

template <class T>
void copy(const Field<T>& from, const Field<T>& to) {
  copy(*from.core(), *to.core());
}

} // namespace tasuki

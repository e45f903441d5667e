// The values of a field for another of a grid that is cut alike, on the same device or on another of the rank's.
//
//   Grid<2> here(world, {512, 512}), beside(world, here.cut(), Widths{}, &Device::host(world));
//   Field<float> u(here, "u"), looked_at(beside, "u");
//   copy(u, looked_at);
#pragma once

#include <tasuki/field/field.hpp>

namespace tasuki {

// The owned cells; the halo of `to` is exchanged when it is next read. What was enqueued on the stream of `from` is in it,
// and what is enqueued later on that of `to` sees it; between two devices the host waits for both. Throws Error where the
// fields differ in value or their grids in cut. Local.
void copy(const FieldCore& from, FieldCore& to);

template <class T>
void copy(const Field<T>& from, const Field<T>& to) {
  copy(*from.core(), *to.core());
}

} // namespace tasuki

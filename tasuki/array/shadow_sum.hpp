// Adds shadows to the elements of their owners: the value in a shadow is a share of the owner's element.
//
//   add_shadows({&a}, Side::host, add_doubles);    // by all ranks of the array's nodes; done on return
//
// The directive reduce_shadow of XcalableMP (specification 1.4, 4.5.9). Shares are
// added in the order of the nodes that hold them, so every run gives the same bits.
#pragma once

#include <tasuki/array/reflect.hpp>

namespace tasuki {

// into[0] += from[0], for one element.
using AddElement = void (*)(char* into, const char* from);
void add_shadows(const Reflected& reflected, Side side, AddElement add);

} // namespace tasuki

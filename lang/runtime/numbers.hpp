// Numbers of C by their kind in translated.h: what is done with them element by element. Internal.
#pragma once

#include "translated.h"

namespace tasuki::xmp {

long size_of(int type);
// into[0] = into[0] op from[0], of one element. Throws Error where the type has no such operation.
using Fold = void (*)(char* into, const char* from);
Fold fold_of(int op, int type);
inline Fold adder_of(int type) { return fold_of(TSK_SUM, type); }
// into[0] += left[k] * right[k * step] for k below count, one after the other.
using Product = void (*)(char* into, const char* left, const char* right, long step, long count);
Product product_of(int type);
// Below 0, 0 or above: as a is less than b, equal, or greater. Throws Error where the type has no order.
int compare(int type, const char* a, const char* b);

} // namespace tasuki::xmp

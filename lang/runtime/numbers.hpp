// Numbers of C by their kind in translated.h, and operations on single elements. Internal.
#pragma once

#include "translated.h"

#include <tasuki/field/field.hpp>

namespace tasuki::xmp {

long size_of(int type);
ValueType value_type(int type); // bytes where files know no such number
bool is_whole(int type);        // sums have the same bits in any order
// into[0] = into[0] op from[0], for one element. Throws Error if the type has no such operation.
using Fold = void (*)(char* into, const char* from);
Fold fold_of(int op, int type);
inline Fold adder_of(int type) { return fold_of(TSK_SUM, type); }
// into[0] += left[k] * right[k * step] for k = 0 .. count - 1, in this order.
using Product = void (*)(char* into, const char* left, const char* right, long step, long count);
Product product_of(int type);
// Below 0, 0 or above 0 if a is less than, equal to or greater than b. Throws Error if the type has no order.
int compare(int type, const char* a, const char* b);

} // namespace tasuki::xmp

// Who owns what of each array, for `tasuki plot --program`. Internal.
//
//     double u[100][90];   ->   @owners {"name": "u", "nodes": [2, 3], "ranks": [0, 1, 2, 3, 4, 5], "axes": [
//     align u[j][*] with t[j]       {"extent": 100, "node_dim": 0, "format": "block", "shadow": "1", "pieces": [[0, 50, 0], ..]},
//                                   {"extent": 90, "node_dim": -1, ..}]}
//
// A piece is the first index, the number of indices, and the coordinate of the owner along the nodes' dimension.
#pragma once

#include "objects.hpp"

namespace tasuki::xmp {

// True where TASUKI_OWNERS is set. The program then ends when the arrays of file scope have been made.
bool owners_asked_for();

// Writes the line of an array, which has its memory, to standard error. For rank 0.
void tell_owners(const ArrayObject& object);

} // namespace tasuki::xmp

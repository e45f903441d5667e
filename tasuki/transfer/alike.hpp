// What both ends of a transfer have to list alike is compared before anything travels.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/transfer/parcel.hpp>

#include <vector>

namespace tasuki {

// Throws Error on every rank where what some rank sends to another is not what that one expects from it: other numbers of
// parcels, bytes or routes, or another order. One number is summed over the ranks; lists travel only where they differ.
// Collective over them.
void compare_parcels(const Ranks& ranks, const std::vector<Parcel>& parcels);

} // namespace tasuki

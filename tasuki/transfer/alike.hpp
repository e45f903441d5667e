// Compares what both ends of a transfer list, before anything travels.
#pragma once

#include <tasuki/base/ranks.hpp>
#include <tasuki/transfer/parcel.hpp>

#include <vector>

namespace tasuki {

// Throws Error on every rank if the parcels that a rank sends to another differ from
// those which the other expects: in number, bytes, routes or order. The ranks sum one
// number; they send their lists only if it shows a difference. Collective over them.
void compare_parcels(const Ranks& ranks, const std::vector<Parcel>& parcels);

} // namespace tasuki

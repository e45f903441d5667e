// Descriptors that the ranks of a node hand to each other over sockets: of files, and of a GPU's memory.
//
//   const auto all = hand_round(ranks, {file});   // all[2][0]: the third rank's, as this process has it open now
#pragma once

#include <tasuki/base/ranks.hpp>

#include <vector>

namespace tasuki {

// The descriptors of all ranks, by place; this rank's own are those it gave. Whoever gets one closes
// it. Throws Error on every rank if one of them cannot be handed over. Collective over the ranks, all of one host.
std::vector<std::vector<int>> hand_round(const Ranks& ranks, const std::vector<int>& mine);

} // namespace tasuki

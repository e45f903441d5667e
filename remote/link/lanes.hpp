// A link of several connections, since one does not fill a fast network and one core does not encrypt for it. Large pieces
// are split over all lanes; everything else goes by the first. It is one stream of bytes in one order, as any link is.
//
//   std::unique_ptr<Link> link = laned(std::move(first), std::move(others)); // the same number, in the same order, at both ends
//
// The first lane says what comes: a head of 8 bytes (size, split or not), then the bytes, or the first lane's share of them.
// The n lanes' shares follow each other in the stream and are equal, but for the last. Where a lane is lost, the link is.
#pragma once

#include <remote/link/link.hpp>

#include <memory>
#include <vector>

namespace tasuki::remote {

constexpr std::size_t kSplit = std::size_t(256) << 10; // bytes of a piece from which on it is split
constexpr int kMostLanes = 16;                         // of a link

// The first where there are no others.
std::unique_ptr<Link> laned(std::unique_ptr<Link> first, std::vector<std::unique_ptr<Link>> others);

} // namespace tasuki::remote

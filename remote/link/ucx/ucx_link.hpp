// A link whose bytes go by UCX, which takes InfiniBand where the hosts have it. Nothing of it is encrypted: it is for networks that
// are trusted, and both ends ask for it.
//
//   std::unique_ptr<Link> link = ucx_over(std::move(proven), patience);   // at both ends of a link that has been proven
//
// The proven link is used for the set-up, and stays: it says that the other end is gone. Built where UCX's headers
// are found (TASUKI_UCX); the library, libucp.so.0, is loaded where such a link is asked for, and nowhere else.
#pragma once

#include <remote/link/link.hpp>

#include <memory>

namespace tasuki::remote {

// Whether this build has it.
bool has_ucx();

// Throws Error where it has not, where the library is not there, or where the two ends do not come together in time.
std::unique_ptr<Link> ucx_over(std::unique_ptr<Link> proven, std::chrono::milliseconds patience);

} // namespace tasuki::remote

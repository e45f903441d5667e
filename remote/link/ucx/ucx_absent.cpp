// In a build without UCX.
#include <remote/link/ucx/ucx_link.hpp>

namespace tasuki::remote {

bool has_ucx() { return false; }

std::unique_ptr<Link> ucx_over(std::unique_ptr<Link> proven, std::chrono::milliseconds) {
  throw Error("this Tasuki was built without UCX, by which " + proven->peer() + " was asked for",
              "install its headers (libucx-dev) and build it again, or leave UCX out");
}

} // namespace tasuki::remote

// Waits for MPI requests in the way of World::wait_until: the death of a rank is an Error. Only for this room.
#pragma once

#include <tasuki/base/world.hpp>

#include <vector>

namespace tasuki::detail {

inline void await(World& world, std::vector<MPI_Request> requests, const char* what) {
  world.wait_until(
      [&] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
      },
      what);
}

} // namespace tasuki::detail

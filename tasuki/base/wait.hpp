// Waits for requests of MPI as World waits for anything: a rank that dies meanwhile is an Error. For base alone.
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

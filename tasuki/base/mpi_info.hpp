// What the MPI that this program runs on is, and what it can do.
#pragma once

#include <tasuki/base/world.hpp>

#include <string>

namespace tasuki {

// Name and version in short: "Open MPI 4.1.4", "MPICH 4.0.2". May be called before MPI is up.
std::string mpi_library();

// True where MPI says that it sends from and receives into GPU memory itself. May be called before MPI is up.
bool gpu_aware_mpi();

// True where any thread may call the MPI of this world at any time.
bool mpi_serves_threads(const World& world);

} // namespace tasuki

// The name and the abilities of the MPI library in use.
#pragma once

#include <tasuki/base/world.hpp>

#include <string>

namespace tasuki {

// Short name and version: "Open MPI 4.1.4", "MPICH 4.0.2". May be called before MPI is initialised.
std::string mpi_library();

// True if MPI reports that it can send from and receive into GPU memory. May be called before MPI is initialised.
bool gpu_aware_mpi();

// True if any thread may call MPI in this world at any time.
bool mpi_serves_threads(const World& world);

} // namespace tasuki

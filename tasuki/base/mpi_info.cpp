#include <tasuki/base/mpi_info.hpp>

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdlib>
#include <string>

namespace tasuki {
namespace {

// The text from `at` up to the first character that is not part of a version number.
std::string version_at(const std::string& text, std::size_t at) {
  at = text.find_first_of("0123456789", at);
  if (at == std::string::npos) return "";
  return text.substr(at, text.find_first_not_of("0123456789.abrc", at) - at);
}

#if !defined(MPIX_CUDA_AWARE_SUPPORT)
bool set_to_one(const char* name) {
  const char* value = std::getenv(name);
  return value && std::string(value) == "1";
}
#endif

} // namespace

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text);
  // The text starts with the name; the build configuration follows on several lines.
  for (const char* name : {"Open MPI", "MVAPICH2", "MVAPICH", "CRAY MPICH", "MPICH", "Intel(R) MPI"}) {
    const std::size_t at = whole.find(name);
    if (at == std::string::npos) continue;
    const std::string version = version_at(whole, at + std::string(name).size());
    return version.empty() ? name : name + (" " + version);
  }
  return whole.substr(0, whole.find_first_of("\n,"));
}

bool gpu_aware_mpi() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return set_to_one("MPICH_GPU_SUPPORT_ENABLED") || set_to_one("MV2_USE_CUDA");
#endif
}

bool mpi_serves_threads(const World& world) { return world.thread_level() >= MPI_THREAD_MULTIPLE; }

} // namespace tasuki

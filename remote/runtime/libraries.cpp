// Modules that a program loads at run time. Each device loads a module when it is first used there.
#include <remote/runtime/program.hpp>

#include <served.hpp>

#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <vector>

namespace tasuki::remote::served {

namespace {
struct Library {
  Module module;
  std::vector<char> bytes; // a copy, since the program may free its own
};
std::mutex libraries_mutex;
std::set<Library*>& libraries() {
  static auto* all = new std::set<Library*>;
  return *all;
}

Library& library_of(cudaLibrary_t handle) {
  std::lock_guard hold(libraries_mutex);
  auto* library = reinterpret_cast<Library*>(handle);
  if (!libraries().count(library)) throw Failure(Status::invalid_resource_handle);
  return *library;
}

cudaLibrary_t keep(std::vector<char> bytes) {
  auto library = std::make_unique<Library>();
  library->bytes = std::move(bytes);
  library->module = {library->bytes.data(), library->bytes.size()};
  std::lock_guard hold(libraries_mutex);
  libraries().insert(library.get());
  return reinterpret_cast<cudaLibrary_t>(library.release());
}
} // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  const auto* bytes = static_cast<const char*>(code);
  *library = keep({bytes, bytes + image_bytes(code)});
  return cudaSuccess;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* fileName, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  std::ifstream file(fileName, std::ios::binary);
  if (!file) return cudaErrorFileNotFound;
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t size = bytes.size();
  bytes.resize(size + 64); // PTX ends with 0, and a short file is not an image
  bytes.resize(std::min(size + 64, std::max(image_bytes(bytes.data()), std::size_t{1})));
  if (bytes.size() > size + 1) return cudaErrorInvalidKernelImage;
  *library = keep(std::move(bytes));
  return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  Library& there = library_of(library);
  for (int n = 0; n < session().count(); ++n) device_at(n).unload(there.module);
  give_up(&there.module);
  std::lock_guard hold(libraries_mutex);
  libraries().erase(&there);
  delete &there;
  return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* pKernel, cudaLibrary_t library, const char* name) {
  Library& there = library_of(library);
  Entry& entry = new_entry(&there.module, name);
  entry.at(current()); // reports a name that does not exist
  give_out(entry);
  *pKernel = reinterpret_cast<cudaKernel_t>(&entry);
  return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void** dptr, size_t* bytes, cudaLibrary_t library, const char* name) {
  const answer::Variable found = current().variable(library_of(library).module, name);
  if (dptr) *dptr = reinterpret_cast<void*>(found.address);
  if (bytes) *bytes = found.bytes;
  return cudaSuccess;
}

} // namespace tasuki::remote::served

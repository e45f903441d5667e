// The registration that nvcc generates: fat binaries, kernels and variables register themselves before main. `k<<<>>>`
// calls __cudaPushCallConfiguration, __cudaPopCallConfiguration, __cudaGetKernel, __cudaLaunchKernel. No header has
// declarations of these; their arguments are those in the stubs of nvcc 13 (crt/host_runtime.h).
#include <remote/runtime/program.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#define TASUKI_EXPORTED __attribute__((visibility("default")))

namespace tasuki::remote {

namespace {

struct Wrapper { // fatbinary_section.h
  u32 magic, version;
  const void* data;
  const void* list;
};
constexpr u32 wrapper_magic = 0x466243b1, image_magic = 0xBA55ED50;

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<const void*, Entry*> entries; // by host function
  std::unordered_map<const void*, Symbol> symbols; // by host variable
  std::map<const Module*, std::string> managed;    // names of __managed__ variables
};
Registry& registry() {
  static auto* the = new Registry;
  return *the;
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

Module* module_of(void** handle) { return reinterpret_cast<Module*>(handle); }

} // namespace

std::size_t image_bytes(const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  u32 magic;
  std::memcpy(&magic, bytes, 4);
  if (magic == image_magic) {
    std::uint16_t head;
    u64 size;
    std::memcpy(&head, bytes + 6, 2);
    std::memcpy(&size, bytes + 8, 8);
    return head + size;
  }
  if (std::memcmp(bytes, "\177ELF", 4) == 0) { // a cubin ends with its table of sections or of segments
    u64 segments, sections;
    std::uint16_t segment_bytes, segment_count, section_bytes, section_count;
    std::memcpy(&segments, bytes + 32, 8);
    std::memcpy(&sections, bytes + 40, 8);
    std::memcpy(&segment_bytes, bytes + 54, 2);
    std::memcpy(&segment_count, bytes + 56, 2);
    std::memcpy(&section_bytes, bytes + 58, 2);
    std::memcpy(&section_count, bytes + 60, 2);
    return std::max(segments + u64{segment_bytes} * segment_count,
                    sections + u64{section_bytes} * section_count);
  }
  const auto* text = static_cast<const char*>(image);
  if (!std::strstr(text, ".version")) throw Failure(Status::invalid_kernel_image);
  return std::strlen(text) + 1;
}

Entry& new_entry(const Module* module, const std::string& name) {
  auto* entry = new Entry; // static variables of the program keep its handles
  entry->module = module;
  entry->name = name;
  return *entry;
}

const Kernel& Entry::at(VirtualDevice& device) {
  if (!devices.load(std::memory_order_acquire)) {
    static std::mutex mutex;
    std::lock_guard hold(mutex);
    if (!devices) {
      const int count = session().count();
      on = std::make_unique<std::atomic<const Kernel*>[]>(count);
      for (int n = 0; n < count; ++n) on[n] = nullptr;
      devices.store(count, std::memory_order_release);
    }
  }
  auto& known = on[device.index()];
  const Kernel* kernel = known.load(std::memory_order_acquire);
  if (!kernel) {
    kernel = &device.kernel(*module, name);
    known.store(kernel, std::memory_order_release);
  }
  return *kernel;
}

Entry& entry_of(const void* function) {
  Registry& all = registry();
  std::shared_lock hold(all.mutex);
  const auto at = all.entries.find(function);
  if (at != all.entries.end()) return *at->second;
  hold.unlock();
  // cudaLaunchKernel also accepts a cudaKernel_t instead of a function, if it is a known handle
  return entry_of_kernel(static_cast<cudaKernel_t>(const_cast<void*>(function)));
}

namespace {
std::shared_mutex given_mutex;
std::unordered_map<const void*, Entry*>& given() {
  static auto* the = new std::unordered_map<const void*, Entry*>;
  return *the;
}
} // namespace

Entry& entry_of_kernel(cudaKernel_t kernel) {
  std::shared_lock hold(given_mutex);
  const auto at = given().find(kernel);
  if (at == given().end()) throw Failure(Status::invalid_device_function);
  return *at->second;
}

void give_out(Entry& entry) {
  std::unique_lock hold(given_mutex);
  given()[&entry] = &entry;
}

void give_up(const Module* module) {
  std::unique_lock hold(given_mutex);
  for (auto at = given().begin(); at != given().end();)
    at = at->second->module == module ? given().erase(at) : std::next(at);
}

const Symbol& symbol_of(const void* shadow) {
  Registry& all = registry();
  std::shared_lock hold(all.mutex);
  const auto at = all.symbols.find(shadow);
  if (at == all.symbols.end()) throw Failure(Status::invalid_symbol);
  return at->second;
}

} // namespace tasuki::remote

using namespace tasuki::remote;

extern "C" {

TASUKI_EXPORTED void** __cudaRegisterFatBinary(void* wrapper) {
  const auto* w = static_cast<const Wrapper*>(wrapper);
  auto* module = new Module;
  if (w->magic == wrapper_magic) {
    module->image = w->data;
    module->bytes = image_bytes(w->data);
  }
  return reinterpret_cast<void**>(module);
}

TASUKI_EXPORTED void __cudaRegisterFatBinaryEnd(void**) {}
TASUKI_EXPORTED void __cudaUnregisterFatBinary(void**) {} // the worker ends with the program

// A program calls this before the host's first touch of a module's __managed__ variables, and then follows their pointers, which
// nothing has set: it would end by a wild pointer. Kernels alone may use them, where the device has them.
TASUKI_EXPORTED char __cudaInitModule(void** handle) {
  Registry& all = registry();
  std::shared_lock hold(all.mutex);
  const auto at = all.managed.find(module_of(handle));
  if (at == all.managed.end()) return 1;
  std::fprintf(
      stderr,
      "tasuki: the __managed__ variable %s is touched by the host, and is not served on remote GPUs; "
      "give it memory by cudaMallocManaged, or make it __device__ and copy\n",
      at->second.c_str());
  hold.unlock();
  std::exit(1);
}

TASUKI_EXPORTED void __cudaRegisterFunction(void** handle, const char* function, char*, const char* name, int,
                                            void*, void*, void*, void*, int*) {
  Registry& all = registry();
  std::unique_lock hold(all.mutex);
  all.entries[function] = &new_entry(module_of(handle), name);
}

TASUKI_EXPORTED void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int,
                                       std::size_t bytes, int, int) {
  Registry& all = registry();
  std::unique_lock hold(all.mutex);
  all.symbols[shadow] = {module_of(handle), name, bytes};
}

TASUKI_EXPORTED void __cudaRegisterManagedVar(void** handle, void**, char*, const char* name, int,
                                              std::size_t, int, int) {
  Registry& all = registry();
  std::unique_lock hold(all.mutex);
  std::string& names = all.managed[module_of(handle)];
  names += (names.empty() ? "" : ", or ") + std::string(name);
}

TASUKI_EXPORTED void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
TASUKI_EXPORTED void __cudaRegisterUnifiedTable(void*, void*) {}

TASUKI_EXPORTED unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                                     void* stream) {
  configurations.push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
  return 0;
}

TASUKI_EXPORTED cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                                       void* stream) {
  if (configurations.empty()) return cudaErrorInvalidConfiguration;
  const Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

TASUKI_EXPORTED cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return made(-1, [&] {
    Entry& entry = entry_of(function);
    give_out(entry);
    *kernel = reinterpret_cast<cudaKernel_t>(&entry);
    return cudaSuccess;
  });
}

// `kernel` is a result of __cudaGetKernel, so it is an Entry.
TASUKI_EXPORTED cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                               std::size_t shared, cudaStream_t stream) {
  return made(-1, [&] {
    auto* entry = reinterpret_cast<Entry*>(kernel);
    if (!entry || entry->mark != 0x4b45524e) throw Failure(Status::invalid_device_function);
    return launch(*entry, grid, block, arguments, shared, stream);
  });
}

TASUKI_EXPORTED cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                    void** arguments, std::size_t shared,
                                                    cudaStream_t stream) {
  OwnDefaultStream own;
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

} // extern "C"

// The program's side of things: the device of each thread, handles, kernels and variables as they were registered.
//
//   VirtualDevice& device = current();           // of this thread; throws a fault that sticks
//   On on = resolve(stream);                     // device and number of a stream, default streams too
#pragma once

#include <remote/client/session.hpp>
#include <remote/runtime/made.hpp>

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <string>

namespace tasuki::remote {

struct ThreadState {
  int device = 0;
};
ThreadState& thread();

Session& session(); // also where the program has forked: then it throws
VirtualDevice& current();
VirtualDevice& device_at(int index);

// Handles are addresses of these. They are kept when they are destroyed, so that a stale one is found out.
constexpr u32 stream_mark = 0x5354524d, event_mark = 0x45564e54;
struct Stream {
  u32 mark = stream_mark;
  VirtualDevice* device = nullptr;
  u64 number = 0;
  unsigned flags = 0;
  int priority = 0;
};
struct Capture; // see captures.hpp
struct Event {
  u32 mark = event_mark;
  VirtualDevice* device = nullptr;
  u64 number = 0;
  unsigned flags = 0;
  std::atomic<bool> recorded{false};
  std::shared_ptr<Capture> capture; // in which it was recorded last
};

cudaStream_t new_stream(VirtualDevice& device, unsigned flags, int priority);
cudaEvent_t new_event(VirtualDevice& device, unsigned flags);
Stream& stream_of(cudaStream_t handle); // of those that were created; throws invalid_resource_handle
Event& event_of(cudaEvent_t handle);
void retire(Stream& stream); // it is destroyed: its handle is none any more
void retire(Event& event);

struct On {
  VirtualDevice& device;
  u64 stream;
};
On resolve(cudaStream_t stream);

// A kernel of the program's, as it was registered or taken from a library; what __cudaGetKernel gives is its address.
struct Entry {
  u32 mark = 0x4b45524e;
  const Module* module = nullptr;
  std::string name;
  std::unique_ptr<std::atomic<const Kernel*>[]> on; // a device each, found at first use
  std::atomic<int> devices{0};
  const Kernel& at(VirtualDevice& device);
};
Entry& entry_of(const void* function); // throws invalid_device_function
Entry& entry_of_kernel(cudaKernel_t kernel);
void give_out(Entry& entry);        // its handle is a kernel of the program's from now on
void give_up(const Module* module); // and those of a module that was unloaded are none
Entry& new_entry(const Module* module, const std::string& name);

// A variable of the program's, by the address of its shadow.
struct Symbol {
  const Module* module = nullptr;
  std::string name;
  u64 bytes = 0;
};
const Symbol& symbol_of(const void* shadow); // throws invalid_symbol
answer::Variable variable(VirtualDevice& device, const Symbol& symbol);

// Bytes of a fat binary, a cubin, or PTX that begins here; throws invalid_kernel_image.
std::size_t image_bytes(const void* image);

cudaError_t launch(Entry& entry, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, bool cooperative = false, dim3 cluster = dim3(0, 0, 0));

// Whether the whole range is memory that cudaMallocHost gave or cudaHostRegister took.
bool pinned(const void* address);
// Whether this is managed or mapped memory: the device's, which the program reaches too.
bool mirrored(const void* address);
void* allocate_mirrored(VirtualDevice& device, std::size_t bytes); // null: out of memory
unsigned pinned_flags(const void* address, bool& found);

// Streams that freed memory with cudaFreeAsync keep it for the next cudaMallocAsync; this gives all of it back.
void give_back_pools(VirtualDevice& device, u64 stream);

} // namespace tasuki::remote

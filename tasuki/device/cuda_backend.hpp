// The CUDA functions that the host side of this room calls: plain functions and types; only *.cu files include CUDA.
// Defined in *_cuda.cu, or in cuda_absent.cpp if the build has no CUDA. Internal to the room.
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::cuda {

// device_cuda.cu
using Uuid = std::array<char, 16>;
bool built();
std::string toolkit();            // "13.0"
int devices(std::string& reason); // GPUs that the driver reports; 0 and the reason if there are none
Uuid uuid(int ordinal);           // identifies a GPU independently of its number in a process
void select(int ordinal);         // selects the GPU of this process
std::string name(int ordinal);
std::size_t memory(int ordinal);   // bytes
bool can_access(int from, int to); // both GPUs are visible to this process
void synchronize();                // all work that this process has enqueued on its GPU

void* make_stream(bool urgent);
void free_stream(void* stream) noexcept;
void wait_event(void* stream, void* event);
void synchronize_stream(void* stream);
bool stream_idle(void* stream); // all enqueued work is done

void* make_event(bool timed);
void free_event(void* event) noexcept;
void record_event(void* event, void* stream);
void synchronize_event(void* event);
bool event_reached(void* event);
double seconds_between(void* earlier, void* later);

// buffer_cuda.cu
char* allocate(std::size_t bytes, Memory memory); // zeroed; null if there is not enough memory
void deallocate(char* data, Memory memory) noexcept;
bool pin(char* at, std::size_t bytes); // memory of the host; false if the system has no more to pin
void unpin(char* at) noexcept;
std::size_t free_memory(); // bytes, of the selected GPU
inline constexpr int kOfHost = -1, kManaged = -2;
bool reaches_host();             // kernels of the selected GPU reach pinned memory
int holder(const void* pointer); // the GPU's number, or one of these; creates no CUDA context
void copy(void* stream, void* to, const void* from, std::size_t bytes); // blocks until done
void store(void* to, const void* from,
           std::size_t bytes); // the same at once, also while a stream is recorded

// A handle by which another process can map device memory.
struct SharedHandle {
  std::array<char, 64> handle{};
  long offset = 0; // of the memory within the allocation of the handle
  int valid = 0;
};
SharedHandle share(char* data);                // not valid if the driver refuses
char* open_shared(const SharedHandle& handle); // null if the driver refuses
void close_shared(char* data, const SharedHandle& handle) noexcept;

// range_cuda.cu: addresses, and memory of the selected GPU that is mapped over them. A `memory` is the driver's handle.
std::size_t granularity(); // sizes and addresses are multiples of it
char* reserve_addresses(std::size_t bytes);
char* try_addresses(char* at,
                    std::size_t bytes); // there if the driver likes, or elsewhere; null if it refuses
void free_addresses(char* at, std::size_t bytes) noexcept;
std::uint64_t create_memory(std::size_t bytes);     // 0 if there is not enough memory
void release_memory(std::uint64_t memory) noexcept; // it lives on while it is mapped anywhere
int export_memory(std::uint64_t memory);            // a descriptor for other processes of the host
std::uint64_t import_memory(int descriptor);        // which may be closed then
void map_memory(char* at, std::size_t bytes, std::uint64_t memory); // for kernels of the selected GPU
void unmap_memory(char* at, std::size_t bytes) noexcept;
void zero(char* at, std::size_t bytes);

// graph_cuda.cu
void begin_capture(void* stream);             // records what this thread enqueues on it
void* end_capture(void* stream, long& nodes); // the graph, ready to be launched
bool stream_captured(void* stream);
void abandon_capture(void* stream) noexcept; // discards what was recorded
void launch_graph(void* graph, void* stream);
void free_graph(void* graph) noexcept;

// ranges_cuda.cu
void begin_range(const char* name); // of the calling thread, for a profiler
void end_range();

// copy_cuda.cu
struct CopyLaunch {
  int pairs = 0;
  unsigned tiles = 0;       // pieces of work; a thread block does one at a time
  int words_per_thread = 1; // loaded together, so that loads overlap
};
// The table that the kernel reads, to be copied into device memory. Each pair has from 1 byte to 1 GiB.
std::vector<char> make_copy_table(const std::vector<CopyPair>& pairs, CopyLaunch& launch);
void enqueue_copies(void* stream, const char* table, const CopyLaunch& launch);
bool enqueue_copies_between(void* stream, const char* table, const CopyLaunch& launch,
                            const Handshake& signals, const DeviceTurn& turn, const WatchHandle& watch);
void enqueue_pitched(void* stream, const CopyPair& pair); // by the copy engine; folded, not empty

// signal_cuda.cu
enum class Gate {
  stream, // stream memory operations: no kernel runs while the stream waits
  kernel, // a waiting kernel
};
bool has_stream_gate(); // of the selected GPU
void raise_flags(void* stream, const std::vector<Flag*>& flags, Flag value);
void await_flags(void* stream, const std::vector<Awaited>& flags, Flag value, Gate gate,
                 const WatchHandle& watch);
void raise_next(void* stream, const std::vector<Flag*>& flags, const Flag* turn);
// `last`: the turn is incremented afterwards.
void await_next(void* stream, const std::vector<Awaited>& flags, Flag* turn, bool last,
                const WatchHandle& watch);

} // namespace tasuki::cuda

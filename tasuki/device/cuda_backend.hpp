// What the host side of this room asks of CUDA: plain functions and types, so that only *.cu files see CUDA headers.
// Defined in *_cuda.cu, or in cuda_absent.cpp where the build has no CUDA. Internal to the room.
#pragma once

#include <tasuki/device/copy.hpp>
#include <tasuki/device/signal/signal.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tasuki::cuda {

// device_cuda.cu
using Uuid = std::array<char, 16>;
bool built();
std::string toolkit();            // "13.0"
int devices(std::string& reason); // GPUs that the driver shows; 0 and why where there are none
Uuid uuid(int ordinal);           // names a GPU whatever number a process sees it under
void select(int ordinal);         // the GPU that this process uses from now on
std::string name(int ordinal);
std::size_t memory(int ordinal);   // bytes
bool can_access(int from, int to); // two GPUs that this process sees
bool reaches_host(int ordinal);    // its kernels reach pinned memory
void synchronize();                // everything enqueued by this process on its GPU

void* make_stream(bool urgent);
void free_stream(void* stream) noexcept;
void wait_event(void* stream, void* event);
void synchronize_stream(void* stream);
bool stream_idle(void* stream); // everything enqueued on it is done

void* make_event(bool timed);
void free_event(void* event) noexcept;
void record_event(void* event, void* stream);
void synchronize_event(void* event);
bool event_reached(void* event);
double seconds_between(void* earlier, void* later);

// buffer_cuda.cu
char* allocate(std::size_t bytes, Memory memory); // zeroed; null where it does not fit
void deallocate(char* data, Memory memory) noexcept;
std::size_t free_memory(); // bytes, of the selected GPU
inline constexpr int kOfHost = -1, kManaged = -2;
int holder(const void* pointer); // the GPU's number, or one of these; makes no context where there is none
void copy(void* stream, void* to, const void* from, std::size_t bytes); // returns when done

// Device memory as another process may open it.
struct SharedHandle {
  std::array<char, 64> handle{};
  long offset = 0; // of the memory in the allocation that the handle opens
  int valid = 0;
};
SharedHandle share(char* data);                // not valid where the system refuses
char* open_shared(const SharedHandle& handle); // null where the system refuses
void close_shared(char* data, const SharedHandle& handle) noexcept;

// graph_cuda.cu
void begin_capture(void* stream);             // of what this thread enqueues on it
void* end_capture(void* stream, long& nodes); // the graph, ready to be launched
bool stream_captured(void* stream);
void abandon_capture(void* stream) noexcept; // nothing is kept
void launch_graph(void* graph, void* stream);
void free_graph(void* graph) noexcept;

// ranges_cuda.cu
void begin_range(const char* name); // of the calling thread, for a profiler
void end_range();

// copy_cuda.cu
struct CopyLaunch {
  int pairs = 0;
  unsigned tiles = 0;       // pieces of work, one a thread block at a time
  int words_per_thread = 1; // copied at once, so that their loads overlap
};
// The table that the kernel reads, to be put into device memory as it is. Pairs are not empty, a GiB at most.
std::vector<char> make_copy_table(const std::vector<CopyPair>& pairs, CopyLaunch& launch);
void enqueue_copies(void* stream, const char* table, const CopyLaunch& launch);
bool enqueue_copies_between(void* stream, const char* table, const CopyLaunch& launch,
                            const Handshake& signals, const DeviceTurn& turn, const WatchHandle& watch);
void enqueue_pitched(void* stream, const CopyPair& pair); // by the copy engine; folded, not empty

// signal_cuda.cu
enum class Gate {
  stream, // stream memory operations: nothing runs on the GPU while it waits
  kernel, // a waiting kernel
};
bool has_stream_gate(); // of the selected GPU
void raise_flags(void* stream, const std::vector<Flag*>& flags, Flag value);
void await_flags(void* stream, const std::vector<Awaited>& flags, Flag value, Gate gate,
                 const WatchHandle& watch);
void raise_next(void* stream, const std::vector<Flag*>& flags, const Flag* turn);
// `last`: and the turn goes on.
void await_next(void* stream, const std::vector<Awaited>& flags, Flag* turn, bool last,
                const WatchHandle& watch);

} // namespace tasuki::cuda

// The CUDA side of a build without CUDA: it reports that no GPU is available. Not compiled in a build with CUDA.
#include <tasuki/device/cuda_backend.hpp>

namespace tasuki::cuda {
namespace {

[[noreturn]] void refuse() {
  throw Error("this build has no CUDA", "configure with -DTASUKI_CUDA=ON, or take --device host");
}

} // namespace

bool built() { return false; }
std::string toolkit() { return ""; }
int devices(std::string& reason) {
  reason = "this build has no CUDA";
  return 0;
}
Uuid uuid(int) { refuse(); }
void select(int) { refuse(); }
std::string name(int) { refuse(); }
std::size_t memory(int) { refuse(); }
bool can_access(int, int) { refuse(); }
bool reaches_host() { refuse(); }
void synchronize() { refuse(); }

void* make_stream(bool) { refuse(); }
void free_stream(void*) noexcept {}
void wait_event(void*, void*) { refuse(); }
void synchronize_stream(void*) { refuse(); }
bool stream_idle(void*) { refuse(); }

void* make_event(bool) { refuse(); }
void free_event(void*) noexcept {}
void record_event(void*, void*) { refuse(); }
void synchronize_event(void*) { refuse(); }
bool event_reached(void*) { refuse(); }
double seconds_between(void*, void*) { refuse(); }

char* allocate(std::size_t, Memory) { refuse(); }
void deallocate(char*, Memory) noexcept {}
bool pin(char*, std::size_t) { refuse(); }
void unpin(char*) noexcept {}
std::size_t free_memory() { refuse(); }
int holder(const void*) { return kOfHost; }
void copy(void*, void*, const void*, std::size_t) { refuse(); }
void store(void*, const void*, std::size_t) { refuse(); }

SharedHandle share(char*) { refuse(); }
char* open_shared(const SharedHandle&) { refuse(); }
void close_shared(char*, const SharedHandle&) noexcept {}

std::size_t granularity() { refuse(); }
char* reserve_addresses(std::size_t) { refuse(); }
char* try_addresses(char*, std::size_t) { refuse(); }
void free_addresses(char*, std::size_t) noexcept {}
std::uint64_t create_memory(std::size_t) { refuse(); }
void release_memory(std::uint64_t) noexcept {}
int export_memory(std::uint64_t) { refuse(); }
std::uint64_t import_memory(int) { refuse(); }
void map_memory(char*, std::size_t, std::uint64_t) { refuse(); }
void unmap_memory(char*, std::size_t) noexcept {}
void zero(char*, std::size_t) { refuse(); }

void begin_capture(void*) { refuse(); }
void* end_capture(void*, long&) { refuse(); }
bool stream_captured(void*) { refuse(); }
void abandon_capture(void*) noexcept {}
void launch_graph(void*, void*) { refuse(); }
void free_graph(void*) noexcept {}

void begin_range(const char*) { refuse(); }
void end_range() { refuse(); }

std::vector<char> make_copy_table(const std::vector<CopyPair>&, CopyLaunch&) { refuse(); }
void enqueue_pitched(void*, const CopyPair&) { refuse(); }
void enqueue_copies(void*, const char*, const CopyLaunch&) { refuse(); }
bool enqueue_copies_between(void*, const char*, const CopyLaunch&, const Handshake&, const DeviceTurn&,
                            const WatchHandle&) {
  refuse();
}

bool has_stream_gate() { refuse(); }
void raise_flags(void*, const std::vector<Flag*>&, Flag) { refuse(); }
void await_flags(void*, const std::vector<Awaited>&, Flag, Gate, const WatchHandle&) { refuse(); }
void raise_next(void*, const std::vector<Flag*>&, const Flag*) { refuse(); }
void await_next(void*, const std::vector<Awaited>&, Flag*, bool, const WatchHandle&) { refuse(); }

} // namespace tasuki::cuda

// The device interface of a worker: memory at addresses that the client assigns, libraries, launches, streams, events.
//
//   std::unique_ptr<Device> device = open_host({}); // or open_driver(0)
//   device->reserve(arena, 64ull << 30);
//   device->map(arena, 2 << 20);
//   KernelId step = device->kernel(device->load({image, size}), "_Z4stepPfi");
//   device->launch({step, {65536, 1, 1}, {256, 1, 1}}, {parameters, 12});
//   device->copy_out(&first, arena, 4, kLegacyStream);
//   device->synchronize(kLegacyStream);
//
// Every function may be called from any thread. Work on a stream is executed in order, before or after the call
// returns; host memory of a copy must exist until the stream has executed it. A failed call throws DeviceError. A
// fault of a kernel is permanent: all later calls throw the same error.
#pragma once

#include <remote/device/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::remote {

using Address = std::uint64_t; // of device memory, the same in the client
using LibraryId = std::uint64_t;
using KernelId = std::uint64_t;
using StreamId = std::uint64_t;
using EventId = std::uint64_t;
using GraphId = std::uint64_t;
using ExecutableId = std::uint64_t;

// The default stream, which synchronises with all blocking streams of the device. The per-thread default stream is an
// ordinary stream that the client creates with flags 0.
constexpr StreamId kLegacyStream = 0;

// Host memory that a call reads.
struct Bytes {
  const void* data = nullptr;
  std::size_t size = 0;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

// The content of cudaDeviceProp. Attributes have the public numbers of cudaDeviceAttr (10: warp size).
struct Properties {
  std::string name;
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t memory = 0; // bytes
  std::array<int, 256> attributes{};
};

struct Parameter {
  std::uint32_t offset = 0, size = 0; // bytes, in the parameter block
};

// The content of cudaFuncAttributes.
struct KernelInfo {
  std::vector<Parameter> parameters;
  int registers = 0;   // per thread
  int max_threads = 0; // per block
  std::uint32_t static_shared = 0, constant = 0, local = 0;
  std::uint32_t max_dynamic_shared = 0;
  int ptx_version = 0, binary_version = 0; // 90: 9.0
};

// The two attributes of cudaFuncSetAttribute, with their public numbers.
enum class KernelAttribute : int { max_dynamic_shared = 8, shared_carveout = 9 };

struct Variable {
  Address address = 0;
  std::uint64_t bytes = 0;
};

struct Launch {
  KernelId kernel = 0;
  Dim3 grid, block;
  std::uint32_t shared = 0; // dynamic, bytes per block
  StreamId stream = kLegacyStream;
  bool cooperative = false;
  Dim3 cluster{};
};

// Rows of `width` bytes; each side may be device or host memory, as in cudaMemcpy2D.
struct Copy2D {
  std::uint64_t to = 0, to_pitch = 0, from = 0, from_pitch = 0;
  std::uint64_t width = 0, height = 1;
};

// A stream that waits for a word of device memory, or writes it.
struct WordOperation {
  unsigned operation = 0; // of CUstreamBatchMemOpType: 1 waits for 32 bits, 2 writes them; 4, 5: 64
  Address at = 0;
  std::uint64_t value = 0;
  unsigned flags = 0; // of CUstreamWaitValue_flags: 0 until word - value >= 0, 1 equal, 2 and, 3 nor
};

// A place where a stream stops. `come` is called by a thread of the device when the stream is there; it must not wait. The
// stream goes on when `go_on` is called, by any thread. `gone`, where it is not empty, is called behind that.
struct Stop {
  std::function<void(std::function<void()> go_on)> come;
  std::function<void()> gone;
};

// A stop by a thread of the stream's own, which waits.
inline void stand_at(const Stop& stop) {
  auto goes = std::make_shared<std::promise<void>>();
  stop.come([goes] { goes->set_value(); });
  goes->get_future().wait();
  if (stop.gone) stop.gone();
}

class Device {
public:
  virtual ~Device() = default;

  virtual const Properties& properties() const = 0;
  virtual std::uint64_t free_memory() const = 0; // bytes that map() can still provide

  // Reserves the address range of the arena, once. Throws if the addresses are not available.
  virtual void reserve(Address base, std::uint64_t bytes) = 0;
  virtual std::uint64_t granularity() const = 0; // of map and unmap
  // Maps zeroed memory to a range of the arena. Throws memory_allocation if there is not enough.
  virtual void map(Address at, std::uint64_t bytes) = 0;
  virtual void unmap(Address at, std::uint64_t bytes) = 0; // waits for work that may still use it
  // Memory of a device of another process on this host, at the addresses that it has there. adjoin() takes the range of the
  // other's arena, if this device reaches the memory of a device of that name and uuid; import_memory() puts there what
  // export_memory() of the other gave: a file for a range that was mapped as a whole, which the caller closes. Throws
  // not_supported if that cannot be.
  virtual void adjoin(Address /*base*/, std::uint64_t /*bytes*/, const std::string& /*name*/,
                      const std::string& /*uuid*/) {
    shares_nothing();
  }
  virtual int export_memory(Address /*at*/, std::uint64_t /*bytes*/) { shares_nothing(); }
  virtual void import_memory(Address /*at*/, std::uint64_t /*bytes*/, int /*file*/) { shares_nothing(); }
  virtual void forget_memory(Address /*at*/, std::uint64_t /*bytes*/) { shares_nothing(); } // waits as unmap
  // Host memory of this process that copies use without staging and kernels access at its address.
  virtual void register_host(void* at, std::uint64_t bytes) = 0;
  virtual void unregister_host(void* at) = 0;

  // The whole fat binary of the program, or PTX, or a cubin. Throws with opcode and kernel if it cannot be run.
  virtual LibraryId load(Bytes image) = 0;
  virtual void unload(LibraryId library) = 0;
  virtual KernelId kernel(LibraryId library, const std::string& name) = 0; // throws invalid_device_function
  virtual KernelInfo info(KernelId kernel) const = 0;
  virtual void set(KernelId kernel, KernelAttribute which, int value) = 0;
  virtual Variable variable(LibraryId library, const std::string& name) = 0; // throws invalid_symbol
  // The number of blocks of this many threads that one multiprocessor can hold at once.
  virtual int occupancy(KernelId kernel, int threads, std::uint64_t dynamic_shared) const = 0;

  // Invalid configurations throw here; faults of the kernel are reported by later calls. Parameters are copied.
  virtual void launch(const Launch& launch, Bytes parameters) = 0;

  virtual void copy_in(Address to, const void* from, std::uint64_t bytes, StreamId stream) = 0;
  virtual void copy_out(void* to, Address from, std::uint64_t bytes, StreamId stream) = 0;
  virtual void copy(Address to, Address from, std::uint64_t bytes, StreamId stream) = 0;
  virtual void copy_2d(const Copy2D& copy, StreamId stream) = 0;
  // `width` elements of 1, 2 or 4 bytes per row, rows `pitch` bytes apart.
  virtual void fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
                    std::uint64_t pitch, StreamId stream) = 0;
  // XXH3 of 64 bits of a range, after the earlier work of the stream. Waits.
  virtual std::uint64_t digest(Address at, std::uint64_t bytes, StreamId stream) = 0;

  virtual StreamId create_stream(unsigned flags, int priority) = 0; // 1: independent of the default stream
  virtual void destroy_stream(StreamId stream) = 0;                 // after its work has ended
  virtual void synchronize(StreamId stream) = 0;
  virtual bool done(StreamId stream) = 0;
  virtual void wait(StreamId stream, EventId event) = 0;
  // The stream stops there, and no other stream does. On a captured stream: at each launch of the graph.
  virtual void stop(StreamId stream, Stop stop) = 0;

  virtual EventId create_event(unsigned flags) = 0; // 2: without times
  virtual void destroy_event(EventId event) = 0;
  virtual void record(EventId event, StreamId stream) = 0;
  virtual void synchronize_event(EventId event) = 0;
  virtual bool event_done(EventId event) = 0;
  virtual float elapsed(EventId from, EventId to) = 0; // milliseconds; throws not_ready

  virtual void word(StreamId stream, const WordOperation& operation) = 0;

  // Later work of the stream is recorded instead of executed; so is work of streams that wait for its events.
  virtual void begin_capture(StreamId stream) = 0;
  // Throws capture_unjoined if a stream that joined the capture was not waited for. The capture ends in any case.
  virtual GraphId end_capture(StreamId stream, std::uint64_t& nodes) = 0;
  virtual bool captured(StreamId stream) const = 0;                    // for created streams
  virtual ExecutableId instantiate(GraphId graph, unsigned flags) = 0; // flags of cudaGraphInstantiate
  virtual void launch_graph(ExecutableId executable, StreamId stream) = 0;
  virtual void destroy_graph(GraphId graph) = 0;                // its executables stay valid
  virtual void destroy_executable(ExecutableId executable) = 0; // after its launches have ended

  virtual void synchronize() = 0;   // the whole device
  virtual Status fault() const = 0; // the permanent fault; success if there is none

private:
  [[noreturn]] void shares_nothing() const {
    throw DeviceError(Status::not_supported, "this device shares no memory with others",
                      "copy through the client");
  }
};

} // namespace tasuki::remote

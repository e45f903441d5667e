// A device as a worker drives it: memory at addresses that its client gave out, libraries, launches, streams, events.
//
//   std::unique_ptr<Device> device = open_host({}); // or open_driver(0)
//   device->reserve(arena, 64ull << 30);
//   device->map(arena, 2 << 20);
//   KernelId step = device->kernel(device->load({image, size}), "_Z4stepPfi");
//   device->launch({step, {65536, 1, 1}, {256, 1, 1}}, {parameters, 12});
//   device->copy_out(&first, arena, 4, kLegacyStream);
//   device->synchronize(kLegacyStream);
//
// Every call may be made from any thread. What is enqueued on a stream is done in the stream's order, after the call has
// returned or before; memory of the host that a copy names has to stay until the stream has come past it. A call that fails
// throws DeviceError. A kernel's fault sticks: whatever comes after it throws the same number.
#pragma once

#include <remote/device/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tasuki::remote {

using Address = std::uint64_t; // of device memory, the same at the client
using LibraryId = std::uint64_t;
using KernelId = std::uint64_t;
using StreamId = std::uint64_t;
using EventId = std::uint64_t;
using GraphId = std::uint64_t;
using ExecutableId = std::uint64_t;

// The default stream: waits for all blocking streams of the device, and they for it. A thread's own default stream is a
// stream that the client creates, with flags 0.
constexpr StreamId kLegacyStream = 0;

// Bytes of the host that a call reads.
struct Bytes {
  const void* data = nullptr;
  std::size_t size = 0;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

// What cudaDeviceProp is made of. Attributes stand under the public numbers of cudaDeviceAttr (10: warp size).
struct Properties {
  std::string name;
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t memory = 0; // bytes
  std::array<int, 256> attributes{};
};

struct Parameter {
  std::uint32_t offset = 0, size = 0; // bytes, in the parameter block
};

// What cudaFuncAttributes is made of.
struct KernelInfo {
  std::vector<Parameter> parameters;
  int registers = 0;   // a thread
  int max_threads = 0; // a block
  std::uint32_t static_shared = 0, constant = 0, local = 0;
  std::uint32_t max_dynamic_shared = 0;
  int ptx_version = 0, binary_version = 0; // 90: 9.0
};

// The two that cudaFuncSetAttribute takes, under their public numbers.
enum class KernelAttribute : int { max_dynamic_shared = 8, shared_carveout = 9 };

struct Variable {
  Address address = 0;
  std::uint64_t bytes = 0;
};

struct Launch {
  KernelId kernel = 0;
  Dim3 grid, block;
  std::uint32_t shared = 0; // dynamic, bytes a block
  StreamId stream = kLegacyStream;
  bool cooperative = false;
  Dim3 cluster{};
};

// Rows of `width` bytes; either side may be memory of the device or of the host, as in cudaMemcpy2D.
struct Copy2D {
  std::uint64_t to = 0, to_pitch = 0, from = 0, from_pitch = 0;
  std::uint64_t width = 0, height = 1;
};

// A stream waits for a word of device memory, or writes it.
struct WordOperation {
  unsigned operation = 0; // of CUstreamBatchMemOpType: 1 waits for 32 bits, 2 writes them; 4 and 5 for 64
  Address at = 0;
  std::uint64_t value = 0;
  unsigned flags = 0; // of CUstreamWaitValue_flags: 0 as soon as word - value >= 0, 1 equal, 2 and, 3 nor
};

class Device {
public:
  virtual ~Device() = default;

  virtual const Properties& properties() const = 0;
  virtual std::uint64_t free_memory() const = 0; // bytes that map() can still give

  // The arena, once. Throws where the address cannot be had.
  virtual void reserve(Address base, std::uint64_t bytes) = 0;
  virtual std::uint64_t granularity() const = 0; // of map and unmap
  // Memory of zeros behind a range of the arena. Throws memory_allocation where there is no more.
  virtual void map(Address at, std::uint64_t bytes) = 0;
  virtual void unmap(Address at, std::uint64_t bytes) = 0; // waits for what may still use it
  // Memory of this process that copies take without staging and kernels reach at its own address.
  virtual void register_host(void* at, std::uint64_t bytes) = 0;
  virtual void unregister_host(void* at) = 0;

  // The whole fat binary as the program carries it, or PTX, or a cubin. Throws what cannot be run, with opcode and kernel.
  virtual LibraryId load(Bytes image) = 0;
  virtual void unload(LibraryId library) = 0;
  virtual KernelId kernel(LibraryId library, const std::string& name) = 0; // throws invalid_device_function
  virtual KernelInfo info(KernelId kernel) const = 0;
  virtual void set(KernelId kernel, KernelAttribute which, int value) = 0;
  virtual Variable variable(LibraryId library, const std::string& name) = 0; // throws invalid_symbol
  // Blocks of so many threads that one multiprocessor holds at once.
  virtual int occupancy(KernelId kernel, int threads, std::uint64_t dynamic_shared) const = 0;

  // Wrong configurations throw here; what the kernel does wrong is found by later calls. Parameters are copied.
  virtual void launch(const Launch& launch, Bytes parameters) = 0;

  virtual void copy_in(Address to, const void* from, std::uint64_t bytes, StreamId stream) = 0;
  virtual void copy_out(void* to, Address from, std::uint64_t bytes, StreamId stream) = 0;
  virtual void copy(Address to, Address from, std::uint64_t bytes, StreamId stream) = 0;
  virtual void copy_2d(const Copy2D& copy, StreamId stream) = 0;
  // `width` elements of 1, 2 or 4 bytes a row, rows `pitch` bytes apart.
  virtual void fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
                    std::uint64_t pitch, StreamId stream) = 0;
  // XXH3 of 64 bits of a range, after what the stream holds. Waits.
  virtual std::uint64_t digest(Address at, std::uint64_t bytes, StreamId stream) = 0;

  virtual StreamId create_stream(unsigned flags, int priority) = 0; // 1: does not wait for the default stream
  virtual void destroy_stream(StreamId stream) = 0;                 // once it is done
  virtual void synchronize(StreamId stream) = 0;
  virtual bool done(StreamId stream) = 0;
  virtual void wait(StreamId stream, EventId event) = 0;
  // Calls back from a thread of the device; the stream goes on when it returns. Of a stream that is captured: at each launch
  // of the graph.
  virtual void host_function(StreamId stream, std::function<void()> function) = 0;

  virtual EventId create_event(unsigned flags) = 0; // 2: without times
  virtual void destroy_event(EventId event) = 0;
  virtual void record(EventId event, StreamId stream) = 0;
  virtual void synchronize_event(EventId event) = 0;
  virtual bool event_done(EventId event) = 0;
  virtual float elapsed(EventId from, EventId to) = 0; // milliseconds; throws not_ready

  virtual void word(StreamId stream, const WordOperation& operation) = 0;

  // What is enqueued on the stream from now on is kept, not done; so is what other streams do behind its events.
  virtual void begin_capture(StreamId stream) = 0;
  // Throws capture_unjoined where a stream behind its events was not waited for; whatever it throws, the capture is over.
  virtual GraphId end_capture(StreamId stream, std::uint64_t& nodes) = 0;
  virtual bool captured(StreamId stream) const = 0;                    // of streams that were created
  virtual ExecutableId instantiate(GraphId graph, unsigned flags) = 0; // those of cudaGraphInstantiate
  virtual void launch_graph(ExecutableId executable, StreamId stream) = 0;
  virtual void destroy_graph(GraphId graph) = 0;                // its executables stay
  virtual void destroy_executable(ExecutableId executable) = 0; // once its launches are done

  virtual void synchronize() = 0;   // all of the device
  virtual Status fault() const = 0; // that sticks; success where there is none
};

} // namespace tasuki::remote

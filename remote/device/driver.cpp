#include <remote/device/driver.hpp>

#include <remote/device/driver_calls.hpp>
#include <remote/device/driver_places.hpp>
#include <remote/device/driver_stops.hpp>
#include <remote/wire/ranges.hpp>

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace tasuki::remote {

namespace {

constexpr std::uint64_t chunk = 2u << 20; // bytes; the granularity of the driver on all GPUs so far

CUstream stream_of(StreamId id) {
  return id == kLegacyStream ? CU_STREAM_LEGACY : reinterpret_cast<CUstream>(id);
}
CUevent event_of(EventId id) { return reinterpret_cast<CUevent>(id); }
CUkernel kernel_of(KernelId id) { return reinterpret_cast<CUkernel>(id); }

class Driver : public Device {
public:
  explicit Driver(int gpu) : calls_(driver()) {
    check(calls_.cuDeviceGet(&device_, gpu), "no such GPU");
    check(calls_.cuDevicePrimaryCtxRetain(&context_, device_), "the GPU gives no context");
    use();
    describe();
    check(calls_.cuStreamCreateWithPriority(&quiet_, CU_STREAM_NON_BLOCKING, 0), "no stream");
    seat_modules();
  }
  ~Driver() override {
    use();
    calls_.cuCtxSynchronize();
    for (const auto* units : {&units_, &imported_})
      for (const auto& [at, unit] : *units) {
        calls_.cuMemUnmap(at, unit.bytes);
        calls_.cuMemRelease(unit.memory);
      }
    for (const auto& [base, bytes] : adjoined_) calls_.cuMemAddressFree(base, bytes);
    if (bytes_) calls_.cuMemAddressFree(base_, bytes_);
    calls_.cuDevicePrimaryCtxRelease(device_);
  }

  const Properties& properties() const override { return properties_; }

  std::uint64_t free_memory() const override {
    use();
    std::size_t free = 0, total = 0;
    check(calls_.cuMemGetInfo(&free, &total), "its free memory is not known");
    return free / chunk * chunk;
  }

  void reserve(Address base, std::uint64_t bytes) override {
    take_range(base, bytes);
    base_ = base;
    bytes_ = bytes;
  }

  std::uint64_t granularity() const override { return chunk; }

  void map(Address at, std::uint64_t bytes) override {
    use();
    if (at % chunk || bytes % chunk || bytes == 0 || at < base_ || at - base_ > bytes_ ||
        bytes > bytes_ - (at - base_))
      throw DeviceError(Status::invalid_value, "memory in units of 2 MiB inside of the arena is mapped",
                        "ask for that");
    CUmemAllocationProp what{};
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    what.location.id = device_;
    if (shares()) what.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    Unit unit{0, bytes};
    check(calls_.cuMemCreate(&unit.memory, bytes, &what, 0), "no memory");
    CUresult result = put(at, unit);
    if (result == CUDA_SUCCESS) {
      // The data of an earlier client must not be visible.
      result = calls_.cuMemsetD8Async(at, 0, bytes, quiet_);
      if (result == CUDA_SUCCESS) result = calls_.cuStreamSynchronize(quiet_);
      if (result != CUDA_SUCCESS) calls_.cuMemUnmap(at, bytes);
    }
    if (result != CUDA_SUCCESS) calls_.cuMemRelease(unit.memory);
    check(result, "memory cannot be mapped");
    std::lock_guard hold(mutex_);
    units_[at] = unit;
  }

  void unmap(Address at, std::uint64_t bytes) override { take_away(units_, at, bytes); }

  void adjoin(Address base, std::uint64_t bytes, const std::string& name, const std::string& uuid) override {
    use();
    if (!reaches(uuid))
      throw DeviceError(Status::not_supported, "this GPU does not reach the memory of " + name,
                        "copy through the client");
    take_range(base, bytes);
    std::unique_lock hold(variables_mutex_);
    adjoined_[base] = bytes;
  }

  int export_memory(Address at, std::uint64_t bytes) override {
    use();
    std::lock_guard hold(mutex_);
    const auto found = units_.find(at);
    if (found == units_.end() || found->second.bytes != bytes)
      throw DeviceError(Status::invalid_value, "what was mapped as a whole is shared as a whole",
                        "give its address and bytes");
    int file = -1;
    check(calls_.cuMemExportToShareableHandle(&file, found->second.memory,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
          "memory cannot be shared", "copy through the client");
    return file;
  }

  void import_memory(Address at, std::uint64_t bytes, int file) override {
    use();
    Unit unit{0, bytes};
    check(calls_.cuMemImportFromShareableHandle(&unit.memory,
                                                reinterpret_cast<void*>(static_cast<std::uintptr_t>(file)),
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
          "memory of another GPU cannot be had", "copy through the client");
    const CUresult result = put(at, unit);
    if (result != CUDA_SUCCESS) calls_.cuMemRelease(unit.memory);
    check(result, "memory of another GPU cannot be mapped", "copy through the client");
    std::lock_guard hold(mutex_);
    imported_[at] = unit;
  }

  void forget_memory(Address at, std::uint64_t bytes) override { take_away(imported_, at, bytes); }

  void register_host(void* at, std::uint64_t bytes) override {
    use();
    check(calls_.cuMemHostRegister(at, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
          "memory of the host cannot be registered");
  }
  void unregister_host(void* at) override {
    use();
    calls_.cuMemHostUnregister(at);
  }

  LibraryId load(Bytes image) override {
    use();
    CUlibrary library = nullptr;
    const CUresult result =
        calls_.cuLibraryLoadData(&library, image.data, nullptr, nullptr, 0, nullptr, nullptr, 0);
    check(result, "a module of the program does not load on " + properties_.name,
          "build it for this GPU, or with PTX");
    return reinterpret_cast<LibraryId>(library);
  }
  void unload(LibraryId library) override {
    use();
    check(calls_.cuLibraryUnload(reinterpret_cast<CUlibrary>(library)), "a module cannot be unloaded");
    std::unique_lock hold(variables_mutex_);
    variables_.clear(); // those of other modules are looked up again
  }

  KernelId kernel(LibraryId library, const std::string& name) override {
    use();
    CUkernel kernel = nullptr;
    const CUresult result =
        calls_.cuLibraryGetKernel(&kernel, reinterpret_cast<CUlibrary>(library), name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      throw DeviceError(Status::invalid_device_function, "its module has no kernel " + name,
                        "build the program again");
    check(result, "kernel " + name, "build it for this GPU, or with PTX");
    return reinterpret_cast<KernelId>(kernel);
  }

  KernelInfo info(KernelId id) const override {
    use();
    KernelInfo info;
    std::size_t offset = 0, size = 0;
    for (std::size_t n = 0; calls_.cuKernelGetParamInfo(kernel_of(id), n, &offset, &size) == CUDA_SUCCESS;
         ++n)
      info.parameters.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
    const auto ask = [&](CUfunction_attribute which) {
      int value = 0;
      check(calls_.cuKernelGetAttribute(&value, which, kernel_of(id), device_), "a kernel cannot be loaded",
            "build it for this GPU, or with PTX");
      return value;
    };
    info.max_threads = ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info.registers = ask(CU_FUNC_ATTRIBUTE_NUM_REGS);
    info.static_shared = static_cast<std::uint32_t>(ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    info.constant = static_cast<std::uint32_t>(ask(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    info.local = static_cast<std::uint32_t>(ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    info.max_dynamic_shared =
        static_cast<std::uint32_t>(ask(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
    info.ptx_version = ask(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    info.binary_version = ask(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    return info;
  }

  void set(KernelId id, KernelAttribute which, int value) override {
    use();
    check(
        calls_.cuKernelSetAttribute(static_cast<CUfunction_attribute>(which), value, kernel_of(id), device_),
        "an attribute of a kernel", "keep within the device's limits");
  }

  Variable variable(LibraryId library, const std::string& name) override {
    use();
    CUdeviceptr at = 0;
    std::size_t bytes = 0;
    const CUresult result =
        calls_.cuLibraryGetGlobal(&at, &bytes, reinterpret_cast<CUlibrary>(library), name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      throw DeviceError(Status::invalid_symbol, "its module has no variable " + name,
                        "build the program again");
    check(result, "variable " + name);
    std::unique_lock hold(variables_mutex_);
    variables_[at] = bytes;
    return {at, bytes};
  }

  int occupancy(KernelId id, int threads, std::uint64_t dynamic_shared) const override {
    use();
    CUfunction function = nullptr;
    check(calls_.cuKernelGetFunction(&function, kernel_of(id)), "a kernel cannot be loaded");
    int blocks = 0;
    check(calls_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, dynamic_shared),
          "occupancy");
    return blocks;
  }

  void launch(const Launch& launch, Bytes parameters) override {
    use();
    CUlaunchConfig config{};
    config.gridDimX = launch.grid.x;
    config.gridDimY = launch.grid.y;
    config.gridDimZ = launch.grid.z;
    config.blockDimX = launch.block.x;
    config.blockDimY = launch.block.y;
    config.blockDimZ = launch.block.z;
    config.sharedMemBytes = launch.shared;
    config.hStream = stream_of(launch.stream);
    CUlaunchAttribute attributes[2];
    config.attrs = attributes;
    if (launch.cooperative) {
      attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attributes[config.numAttrs++].value.cooperative = 1;
    }
    if (launch.cluster.x * launch.cluster.y * launch.cluster.z > 1) {
      attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attributes[config.numAttrs++].value.clusterDim = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
    }
    std::size_t size = parameters.size;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(parameters.data),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    check(calls_.cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(launch.kernel), nullptr,
                                  size ? extra : nullptr),
          "a launch");
  }

  void copy_in(Address to, const void* from, std::uint64_t bytes, StreamId stream) override {
    use();
    check(calls_.cuMemcpyHtoDAsync(to, from, bytes, stream_of(stream)), "a copy to the device");
  }
  void copy_out(void* to, Address from, std::uint64_t bytes, StreamId stream) override {
    use();
    check(calls_.cuMemcpyDtoHAsync(to, from, bytes, stream_of(stream)), "a copy from the device");
  }
  void copy(Address to, Address from, std::uint64_t bytes, StreamId stream) override {
    use();
    check(calls_.cuMemcpyDtoDAsync(to, from, bytes, stream_of(stream)), "a copy on the device");
  }
  void copy_2d(const Copy2D& copy, StreamId stream) override {
    use();
    CUDA_MEMCPY2D box{};
    const bool from_device = ours(copy.from), to_device = ours(copy.to);
    box.srcMemoryType = from_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    box.srcDevice = from_device ? copy.from : 0;
    box.srcHost = from_device ? nullptr : reinterpret_cast<const void*>(copy.from);
    box.srcPitch = copy.from_pitch;
    box.dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    box.dstDevice = to_device ? copy.to : 0;
    box.dstHost = to_device ? nullptr : reinterpret_cast<void*>(copy.to);
    box.dstPitch = copy.to_pitch;
    box.WidthInBytes = copy.width;
    box.Height = copy.height;
    check(calls_.cuMemcpy2DAsync(&box, stream_of(stream)), "a copy of rows");
  }
  void fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
            std::uint64_t pitch, StreamId stream) override {
    use();
    const CUstream s = stream_of(stream);
    const auto v8 = static_cast<unsigned char>(value);
    const auto v16 = static_cast<unsigned short>(value);
    const bool one = height == 1;
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    if (element == 1)
      result = one ? calls_.cuMemsetD8Async(to, v8, width, s)
                   : calls_.cuMemsetD2D8Async(to, pitch, v8, width, height, s);
    if (element == 2)
      result = one ? calls_.cuMemsetD16Async(to, v16, width, s)
                   : calls_.cuMemsetD2D16Async(to, pitch, v16, width, height, s);
    if (element == 4)
      result = one ? calls_.cuMemsetD32Async(to, value, width, s)
                   : calls_.cuMemsetD2D32Async(to, pitch, value, width, height, s);
    check(result, "a fill");
  }

  std::uint64_t digest(Address at, std::uint64_t bytes, StreamId stream) override {
    XXH3_state_t* state = XXH3_createState();
    XXH3_64bits_reset(state);
    std::vector<unsigned char> piece(std::min<std::uint64_t>(bytes, 4u << 20));
    try {
      for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
        const std::uint64_t size = std::min<std::uint64_t>(piece.size(), bytes - done);
        copy_out(piece.data(), at + done, size, stream);
        synchronize(stream);
        XXH3_64bits_update(state, piece.data(), size);
      }
    } catch (...) {
      XXH3_freeState(state);
      throw;
    }
    const std::uint64_t digest = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return digest;
  }

  StreamId create_stream(unsigned flags, int priority) override {
    use();
    CUstream stream = nullptr;
    check(calls_.cuStreamCreateWithPriority(&stream, flags & CU_STREAM_NON_BLOCKING, priority), "no stream");
    return reinterpret_cast<StreamId>(stream);
  }
  void destroy_stream(StreamId stream) override {
    use();
    check(calls_.cuStreamDestroy(stream_of(stream)), "a stream cannot be destroyed");
  }
  void synchronize(StreamId stream) override {
    use();
    check(calls_.cuStreamSynchronize(stream_of(stream)), "what was enqueued");
  }
  bool done(StreamId stream) override {
    use();
    return finished(calls_.cuStreamQuery(stream_of(stream)));
  }
  void wait(StreamId stream, EventId event) override {
    use();
    check(calls_.cuStreamWaitEvent(stream_of(stream), event_of(event), 0), "a wait for an event");
  }
  // The driver calls the functions of all streams by one thread, so one that waited for the client would hold up every other
  // stream. A stream waits for a word instead.
  void stop(StreamId stream, Stop stop) override {
    use();
    stops_.add(stream_of(stream), stream != kLegacyStream && captured(stream), std::move(stop));
  }

  void word(StreamId stream, const WordOperation& w) override {
    use();
    CUstreamBatchMemOpParams one{};
    one.operation = static_cast<CUstreamBatchMemOpType>(w.operation);
    if (w.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || w.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64) {
      one.waitValue.address = w.at;
      one.waitValue.value64 = w.value;
      one.waitValue.flags = w.flags;
    } else {
      one.writeValue.address = w.at;
      one.writeValue.value64 = w.value;
      one.writeValue.flags = w.flags;
    }
    check(calls_.cuStreamBatchMemOp(stream_of(stream), 1, &one, 0),
          "a stream that waits for a word, or writes it");
  }

  // Relaxed, because driver calls of other threads of the worker do not belong to the capture.
  void begin_capture(StreamId stream) override {
    use();
    check(calls_.cuStreamBeginCapture(stream_of(stream), CU_STREAM_CAPTURE_MODE_RELAXED), "a capture");
  }
  GraphId end_capture(StreamId stream, std::uint64_t& nodes) override {
    use();
    CUgraph graph = nullptr;
    check(calls_.cuStreamEndCapture(stream_of(stream), &graph), "what was captured");
    std::size_t count = 0;
    check(calls_.cuGraphGetNodes(graph, nullptr, &count), "a graph's nodes");
    nodes = count - stops_.more_nodes(graph, count);
    return reinterpret_cast<GraphId>(graph);
  }
  bool captured(StreamId stream) const override {
    if (stream == kLegacyStream) return false; // it cannot be captured
    use();
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    check(calls_.cuStreamIsCapturing(stream_of(stream), &status), "a stream");
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
  }
  ExecutableId instantiate(GraphId graph, unsigned flags) override {
    use();
    CUgraphExec ready = nullptr;
    check(calls_.cuGraphInstantiate(&ready, reinterpret_cast<CUgraph>(graph), flags),
          "a graph cannot be made ready");
    calls_.cuGraphUpload(ready, quiet_); // otherwise the first launch uploads it
    return reinterpret_cast<ExecutableId>(ready);
  }
  void launch_graph(ExecutableId executable, StreamId stream) override {
    use();
    check(calls_.cuGraphLaunch(reinterpret_cast<CUgraphExec>(executable), stream_of(stream)),
          "a graph's launch");
  }
  void destroy_graph(GraphId graph) override {
    use();
    check(calls_.cuGraphDestroy(reinterpret_cast<CUgraph>(graph)), "a graph cannot be destroyed");
  }
  void destroy_executable(ExecutableId executable) override {
    use();
    check(calls_.cuGraphExecDestroy(reinterpret_cast<CUgraphExec>(executable)),
          "a graph cannot be destroyed");
  }

  EventId create_event(unsigned flags) override {
    use();
    CUevent event = nullptr;
    check(calls_.cuEventCreate(&event, flags & CU_EVENT_DISABLE_TIMING), "no event");
    return reinterpret_cast<EventId>(event);
  }
  void destroy_event(EventId event) override {
    use();
    check(calls_.cuEventDestroy(event_of(event)), "an event cannot be destroyed");
  }
  void record(EventId event, StreamId stream) override {
    use();
    check(calls_.cuEventRecord(event_of(event), stream_of(stream)), "a record of an event");
  }
  void synchronize_event(EventId event) override {
    use();
    check(calls_.cuEventSynchronize(event_of(event)), "what was enqueued");
  }
  bool event_done(EventId event) override {
    use();
    return finished(calls_.cuEventQuery(event_of(event)));
  }
  float elapsed(EventId from, EventId to) override {
    use();
    float milliseconds = 0;
    check(calls_.cuEventElapsedTime(&milliseconds, event_of(from), event_of(to)),
          "the time between two events");
    return milliseconds;
  }

  void synchronize() override {
    use();
    check(calls_.cuCtxSynchronize(), "what was enqueued");
  }
  Status fault() const override { return static_cast<Status>(fault_.load()); }

private:
  struct Unit {
    CUmemGenericAllocationHandle memory;
    std::uint64_t bytes;
  };

  void use() const {
    thread_local CUcontext mine = nullptr;
    if (mine == context_) return;
    check(calls_.cuCtxSetCurrent(context_), "the GPU's context");
    mine = context_;
  }

  void check(CUresult result, const std::string& what, const char* mend = "") const {
    if (result == CUDA_SUCCESS) return;
    const auto status = static_cast<Status>(result);
    if (sticky(status)) {
      int none = 0;
      fault_.compare_exchange_strong(none, static_cast<int>(result));
    }
    const char* words = nullptr;
    calls_.cuGetErrorString(result, &words);
    throw DeviceError(
        status,
        what + ": " + (words ? words : "an error of the driver") + " (" + std::to_string(result) + ")",
        *mend ? mend : "look at what the program did before");
  }

  bool finished(CUresult result) const {
    if (result == CUDA_ERROR_NOT_READY) return false;
    check(result, "what was enqueued");
    return true;
  }

  // Throws where another range than this one would be given: the address is only a hint.
  void take_range(Address base, std::uint64_t bytes) {
    use();
    CUdeviceptr got = 0;
    check(calls_.cuMemAddressReserve(&got, bytes, chunk, base, 0), "no range of addresses");
    if (got == base) return;
    calls_.cuMemAddressFree(got, bytes);
    throw DeviceError(Status::memory_allocation, "the range of addresses is taken in this process",
                      "ask for another");
  }

  // Memory at an address, for this GPU to read and write.
  CUresult put(Address at, const Unit& unit) {
    CUresult result = calls_.cuMemMap(at, unit.bytes, 0, unit.memory, 0);
    if (result != CUDA_SUCCESS) return result;
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device_;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    result = calls_.cuMemSetAccess(at, unit.bytes, &access, 1);
    if (result != CUDA_SUCCESS) calls_.cuMemUnmap(at, unit.bytes);
    return result;
  }

  void take_away(std::map<Address, Unit>& units, Address at, std::uint64_t bytes) {
    use();
    check(calls_.cuCtxSynchronize(), "an earlier call");
    std::lock_guard hold(mutex_);
    const auto found = units.find(at);
    if (found == units.end() || found->second.bytes != bytes)
      throw DeviceError(Status::invalid_value, "what was mapped as a whole is unmapped as a whole",
                        "give its address and bytes");
    check(calls_.cuMemUnmap(at, bytes), "memory cannot be unmapped");
    check(calls_.cuMemRelease(found->second.memory), "memory cannot be given back");
    units.erase(found);
  }

  bool shares() const {
    return properties_.attributes[CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED] != 0;
  }

  // Whether its kernels reach the memory of a GPU of this machine: itself, or one that it has a way to.
  bool reaches(const std::string& uuid) const {
    int count = 0;
    check(calls_.cuDeviceGetCount(&count), "the machine's GPUs");
    for (int n = 0; shares() && n < count; ++n) {
      CUdevice other = 0;
      CUuuid its{};
      check(calls_.cuDeviceGet(&other, n), "no such GPU");
      check(calls_.cuDeviceGetUuid(&its, other), "its number");
      if (uuid.size() != sizeof its.bytes || std::memcmp(its.bytes, uuid.data(), sizeof its.bytes) != 0)
        continue;
      int can = other == device_;
      if (!can) check(calls_.cuDeviceCanAccessPeer(&can, device_, other), "what it reaches");
      return can != 0;
    }
    return false;
  }

  bool ours(Address at) const {
    if (at >= base_ && at - base_ < bytes_) return true;
    std::shared_lock hold(variables_mutex_);
    return range_at(variables_, at) != variables_.end() || range_at(adjoined_, at) != adjoined_.end();
  }

  void describe() {
    char name[256] = "";
    check(calls_.cuDeviceGetName(name, sizeof name, device_), "its name");
    properties_.name = name;
    CUuuid uuid{};
    check(calls_.cuDeviceGetUuid(&uuid, device_), "its number");
    std::memcpy(properties_.uuid.data(), uuid.bytes, properties_.uuid.size());
    std::size_t bytes = 0;
    check(calls_.cuDeviceTotalMem(&bytes, device_), "its memory");
    properties_.memory = bytes;
    for (std::size_t n = 1; n < properties_.attributes.size();
         ++n) { // attributes unknown to the driver stay 0
      int value = 0;
      if (calls_.cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(n), device_) == CUDA_SUCCESS)
        properties_.attributes[n] = value;
    }
  }

  // A worker goes on without it: see take_high_addresses() for what may differ then.
  void seat_modules() {
    const int capability = properties_.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] * 10 +
                           properties_.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
    const std::string ptx = seat_of_modules(capability);
    CUlibrary seat = nullptr;
    if (calls_.cuLibraryLoadData(&seat, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) !=
        CUDA_SUCCESS)
      return;
    CUdeviceptr at = 0;
    std::size_t bytes = 0;
    calls_.cuLibraryGetGlobal(&at, &bytes, seat, "seat");
  }

  const DriverCalls& calls_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream quiet_ = nullptr; // for operations that do not wait for any other stream
  Properties properties_;
  Address base_ = 0;
  std::uint64_t bytes_ = 0;
  std::mutex mutex_;
  std::map<Address, Unit> units_, imported_;
  DriverStops stops_{calls_, [this](CUresult result, const char* what) { check(result, what); }};
  mutable std::shared_mutex variables_mutex_;
  Ranges variables_, adjoined_;
  mutable std::atomic<int> fault_{0};
};

} // namespace

int driver_gpus() {
  try {
    int count = 0;
    return driver().cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
  } catch (const DeviceError&) {
    return 0;
  }
}

std::unique_ptr<Device> open_driver(int gpu) { return std::make_unique<Driver>(gpu); }

} // namespace tasuki::remote

#include <remote/device/host.hpp>

#include <remote/device/host_memory.hpp>
#include <remote/device/host_pool.hpp>
#include <remote/device/host_properties.hpp>
#include <remote/device/host_streams.hpp>
#include <remote/fatbin/image.hpp>
#include <remote/ptx/program.hpp>

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstring>

namespace tasuki::remote {
namespace {

Status status_of(const ptx::Fault& fault) {
  switch (fault.kind) {
    case ptx::Fault::Kind::address: return Status::illegal_address;
    case ptx::Fault::Kind::misaligned: return Status::misaligned_address;
    case ptx::Fault::Kind::assertion: return Status::assert_failed;
    default: return Status::launch_failure;
  }
}

std::uint64_t half_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

// A graph or an executable graph; its launches run one after another.
struct Instance {
  explicit Instance(std::shared_ptr<const HostStreams::Graph> what) : nodes(std::move(what)) {}
  const std::shared_ptr<const HostStreams::Graph> nodes;
  void begin() {
    std::unique_lock<std::mutex> hold(mutex_);
    changed_.wait(hold, [this] { return !runs_; });
    runs_ = true;
  }
  void end() {
    const std::lock_guard<std::mutex> hold(mutex_);
    runs_ = false;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool runs_ = false;
};

class HostDevice : public Device {
public:
  explicit HostDevice(const HostOptions& options)
      : checked_(options.checked), pool_(options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
        limit_(options.memory > 0 ? options.memory : half_of_machine()), properties_(host_properties(limit_, pool_.threads())),
        memory_(limit_, options.print ? options.print : [](const std::string& text) { std::fputs(text.c_str(), stdout); std::fflush(stdout); }),
        streams_([this] { return fault_ != Status::success; }) {}

  ~HostDevice() override { ending_ = true; }

  const Properties& properties() const override { return properties_; }
  std::uint64_t free_memory() const override { return memory_.free_bytes(); }

  void reserve(Address base, std::uint64_t bytes) override { memory_.reserve(base, bytes); }
  std::uint64_t granularity() const override { return HostMemory::kGranule; }
  void map(Address at, std::uint64_t bytes) override { memory_.map(at, bytes); }
  void unmap(Address at, std::uint64_t bytes) override {
    streams_.drain();
    memory_.unmap(at, bytes);
  }
  void adjoin(Address base, std::uint64_t bytes, const std::string& name, const std::string&) override {
    if (name != properties_.name)
      throw DeviceError(Status::not_supported, "this device does not reach the memory of " + name,
                        "copy through the client");
    memory_.adjoin(base, bytes);
  }
  int export_memory(Address at, std::uint64_t bytes) override { return memory_.export_memory(at, bytes); }
  void import_memory(Address at, std::uint64_t bytes, int file) override {
    memory_.import_memory(at, bytes, file);
  }
  void forget_memory(Address at, std::uint64_t bytes) override {
    streams_.drain();
    memory_.forget_memory(at, bytes);
  }
  void register_host(void* at, std::uint64_t bytes) override {
    memory_.add(reinterpret_cast<std::uint64_t>(at), bytes);
  }
  void unregister_host(void* at) override {
    streams_.drain();
    memory_.remove(reinterpret_cast<std::uint64_t>(at));
  }

  LibraryId load(Bytes image) override;
  void unload(LibraryId library) override;
  KernelId kernel(LibraryId library, const std::string& name) override;
  KernelInfo info(KernelId kernel) const override;
  void set(KernelId kernel, KernelAttribute which, int value) override;
  Variable variable(LibraryId library, const std::string& name) override;
  int occupancy(KernelId kernel, int threads, std::uint64_t dynamic_shared) const override;
  void launch(const Launch& launch, Bytes parameters) override;

  void copy_in(Address to, const void* from, std::uint64_t bytes, StreamId stream) override {
    enqueue(stream, {{to, bytes}}, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
  }
  void copy_out(void* to, Address from, std::uint64_t bytes, StreamId stream) override {
    enqueue(stream, {{from, bytes}}, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  }
  void copy(Address to, Address from, std::uint64_t bytes, StreamId stream) override {
    enqueue(stream, {{to, bytes}, {from, bytes}},
            [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
  }
  void copy_2d(const Copy2D& c, StreamId stream) override;
  void fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
            std::uint64_t pitch, StreamId stream) override;
  std::uint64_t digest(Address at, std::uint64_t bytes, StreamId stream) override {
    std::uint64_t found = 0;
    enqueue(stream, {{at, bytes}}, [&] { found = XXH3_64bits(reinterpret_cast<const void*>(at), bytes); });
    synchronize(stream);
    return found;
  }

  StreamId create_stream(unsigned flags, int priority) override { return streams_.create(flags, priority); }
  void destroy_stream(StreamId stream) override { streams_.destroy(stream); }
  void synchronize(StreamId stream) override {
    streams_.synchronize(stream);
    throw_fault();
  }
  bool done(StreamId stream) override {
    throw_fault();
    return streams_.done(stream);
  }
  void wait(StreamId stream, EventId event) override { streams_.wait(stream, event); }
  void stop(StreamId stream, Stop stop) override {
    enqueue(stream, {}, [stop = std::move(stop)] { stand_at(stop); });
  }
  void word(StreamId stream, const WordOperation& operation) override;

  void begin_capture(StreamId stream) override {
    throw_fault();
    streams_.begin_capture(stream);
  }
  GraphId end_capture(StreamId stream, std::uint64_t& nodes) override {
    auto graph = std::make_shared<const HostStreams::Graph>(streams_.end_capture(stream));
    nodes = graph->size();
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_[next_] = std::make_shared<Instance>(std::move(graph));
    return next_++;
  }
  bool captured(StreamId stream) const override { return streams_.captured(stream); }
  ExecutableId instantiate(GraphId graph, unsigned) override { // priorities of nodes are ignored
    const auto nodes = graph_of(graph)->nodes;
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_[next_] = std::make_shared<Instance>(nodes);
    return next_++;
  }
  // The nodes run one after another, in the order of capture, which satisfies all dependencies. A launch waits for the
  // previous one, like CUDA's driver if a graph has host functions (seen on an H100), so that tests cover this case.
  void launch_graph(ExecutableId executable, StreamId stream) override {
    const auto graph = graph_of(executable);
    const bool now = !streams_.captured(stream);
    if (now) graph->begin();
    try {
      enqueue(stream, {}, [this, graph, now] {
        for (const auto& node : *graph->nodes)
          if (fault_ == Status::success) node();
        if (now) graph->end();
      });
    } catch (...) {
      if (now) graph->end();
      throw;
    }
  }
  void destroy_graph(GraphId graph) override {
    graph_of(graph);
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_.erase(graph);
  }
  // Waits for a launch, like CUDA's driver (seen on an H100).
  void destroy_executable(ExecutableId executable) override {
    const auto graph = graph_of(executable);
    destroy_graph(executable);
    graph->begin();
  }

  EventId create_event(unsigned flags) override { return streams_.create_event(flags); }
  void destroy_event(EventId event) override { streams_.destroy_event(event); }
  void record(EventId event, StreamId stream) override {
    throw_fault();
    streams_.record(event, stream);
  }
  void synchronize_event(EventId event) override {
    streams_.synchronize_event(event);
    throw_fault();
  }
  bool event_done(EventId event) override {
    throw_fault();
    return streams_.event_done(event);
  }
  float elapsed(EventId from, EventId to) override { return streams_.elapsed(from, to); }

  void synchronize() override {
    streams_.synchronize();
    throw_fault();
  }
  Status fault() const override { return fault_; }

private:
  template <class Word>
  void operate(StreamId stream, const WordOperation& operation, bool writes);

  struct Kernel {
    std::shared_ptr<const ptx::Program> program;
    const ptx::Code* code = nullptr;
    LibraryId library = 0;
    std::uint32_t shared_most = kHostShared; // dynamic, per block
  };

  struct Range {
    std::uint64_t at, bytes;
  };
  // Memory of immediate work is checked here; for a graph it is checked again at each launch.
  void enqueue(StreamId stream, std::vector<Range> ranges, std::function<void()> work) {
    throw_fault();
    for (const Range& range : ranges) check(range.at, range.bytes);
    if (!ranges.empty() && streams_.captured(stream))
      work = [this, ranges = std::move(ranges), work = std::move(work)] {
        for (const Range& range : ranges)
          if (!memory_.covers(range.at, range.bytes))
            return remember(Status::illegal_address, "a graph copies memory that was freed");
        work();
      };
    streams_.enqueue(stream, std::move(work));
  }
  std::shared_ptr<Instance> graph_of(GraphId id) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = graphs_.find(id);
    if (found == graphs_.end())
      throw DeviceError(Status::invalid_resource_handle, "there is no graph " + std::to_string(id),
                        "capture it first");
    return found->second;
  }
  void check(std::uint64_t at, std::uint64_t bytes) const {
    if (!memory_.covers(at, bytes))
      throw DeviceError(Status::invalid_value, "a range of device memory is not mapped",
                        "copy what was allocated");
  }
  void throw_fault() const {
    if (fault_ == Status::success) return;
    const std::lock_guard<std::mutex> lock(fault_mutex_);
    throw DeviceError(fault_, fault_text_,
                      "mend the kernel; the device stays so until its worker is started again");
  }
  void remember(Status status, const std::string& what) {
    const std::lock_guard<std::mutex> lock(fault_mutex_);
    if (fault_ != Status::success) return;
    fault_text_ = what;
    fault_ = status;
  }
  Kernel find(KernelId id) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = kernels_.find(id);
    if (found == kernels_.end())
      throw DeviceError(Status::invalid_resource_handle, "there is no kernel " + std::to_string(id),
                        "ask its library for it");
    return found->second;
  }
  std::shared_ptr<const ptx::Program> program(LibraryId id) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = libraries_.find(id);
    if (found == libraries_.end())
      throw DeviceError(Status::invalid_resource_handle, "there is no library " + std::to_string(id),
                        "load it first");
    return found->second;
  }

  const bool checked_;
  HostPool pool_;
  const std::uint64_t limit_;
  const Properties properties_;
  HostMemory memory_;
  std::atomic<Status> fault_{Status::success};
  mutable std::mutex fault_mutex_, mutex_;
  std::string fault_text_;
  std::map<LibraryId, std::shared_ptr<const ptx::Program>> libraries_;
  std::map<KernelId, Kernel> kernels_;
  std::uint64_t next_ = 1;
  std::map<GraphId, std::shared_ptr<Instance>> graphs_; // and executables
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<bool> ending_{false};
  mutable HostStreams streams_; // last, because its threads use the members above
};

LibraryId HostDevice::load(Bytes image) {
  throw_fault();
  const View view{static_cast<const unsigned char*>(image.data), image.size};
  const auto begins = [&](const char* text, std::size_t n) {
    return view.size >= n && std::memcmp(view.data, text, n) == 0;
  };
  std::shared_ptr<const ptx::Program> loaded;
  try {
    std::string text;
    if (begins("\x50\xed\x55\xba", 4))
      text = best_ptx(view, kHostGeneration);
    else if (!begins("\x7f"
                     "ELF",
                     4))
      text.assign(reinterpret_cast<const char*>(view.data), view.size);
    if (text.empty())
      throw DeviceError(Status::no_kernel_image, "the program has no PTX, which a server without a GPU needs",
                        "compile it with -arch=sm_90, or add -gencode arch=compute_90,code=compute_90");
    loaded = std::make_shared<const ptx::Program>(
        std::move(text), [&](std::uint64_t bytes) { return memory_.variables(bytes); });
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) { // "what; mend"
    const std::string line = error.what();
    const std::size_t cut = line.rfind("; ");
    throw DeviceError(Status::unsupported_ptx, line.substr(0, cut),
                      cut == std::string::npos ? "" : line.substr(cut + 2));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  libraries_[next_] = loaded;
  return next_++;
}

void HostDevice::unload(LibraryId library) {
  program(library);
  streams_.drain();
  const std::lock_guard<std::mutex> lock(mutex_);
  libraries_.erase(library);
  for (auto k = kernels_.begin(); k != kernels_.end();)
    k = k->second.library == library ? kernels_.erase(k) : std::next(k);
}

KernelId HostDevice::kernel(LibraryId library, const std::string& name) {
  Kernel kernel;
  kernel.program = program(library);
  kernel.code = kernel.program->kernel(name);
  kernel.library = library;
  if (!kernel.code)
    throw DeviceError(Status::invalid_device_function, "the program has no kernel " + name,
                      "compile it for this device");
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, known] : kernels_)
    if (known.code == kernel.code) return id;
  kernels_[next_] = std::move(kernel);
  return next_++;
}

KernelInfo HostDevice::info(KernelId id) const {
  const Kernel k = find(id);
  KernelInfo info;
  for (const ptx::ParameterPlace& p : k.code->parameters) info.parameters.push_back({p.offset, p.bytes});
  info.registers = static_cast<int>(k.code->registers);
  info.max_threads = static_cast<int>(k.code->max_threads);
  info.static_shared = k.code->static_shared;
  info.constant = static_cast<std::uint32_t>(k.program->constant_bytes());
  info.local = k.code->stack;
  info.max_dynamic_shared = k.shared_most;
  info.ptx_version = info.binary_version = static_cast<int>(k.program->target());
  return info;
}

void HostDevice::set(KernelId id, KernelAttribute which, int value) {
  const Kernel k = find(id);
  if (which != KernelAttribute::max_dynamic_shared) return; // a carve-out is only a hint
  if (value < 0 || static_cast<std::uint32_t>(value) + k.code->static_shared > kHostSharedMost)
    throw DeviceError(Status::invalid_value,
                      "kernel " + k.code->name + " asks for more shared memory than there is",
                      "ask for less");
  const std::lock_guard<std::mutex> lock(mutex_);
  kernels_[id].shared_most = static_cast<std::uint32_t>(value);
}

Variable HostDevice::variable(LibraryId library, const std::string& name) {
  const ptx::Program::Place place = program(library)->variable(name);
  if (place.address == 0)
    throw DeviceError(Status::invalid_symbol, "the program has no variable " + name,
                      "compile it for this device");
  return {place.address, place.bytes};
}

int HostDevice::occupancy(KernelId id, int threads, std::uint64_t dynamic_shared) const {
  const Kernel k = find(id);
  return threads > static_cast<int>(k.code->max_threads)
             ? 0
             : host_occupancy(threads, k.code->static_shared + dynamic_shared);
}

void HostDevice::launch(const Launch& launch, Bytes parameters) {
  throw_fault();
  const Kernel k = find(launch.kernel);
  const auto refuse = [&](Status status, const std::string& what, const std::string& mend) {
    throw DeviceError(status, "kernel " + k.code->name + ": " + what, mend);
  };
  const Dim3 &g = launch.grid, &b = launch.block;
  const std::uint64_t threads = std::uint64_t(b.x) * b.y * b.z;
  if (threads == 0 || threads > 1024 || b.z > 64 || g.x == 0 || g.y == 0 || g.z == 0 || g.x > 2147483647u ||
      g.y > 65535 || g.z > 65535)
    refuse(Status::invalid_value, "its grid or block is empty or too large",
           "take 1 to 1024 threads a block");
  if (threads > k.code->max_threads)
    refuse(Status::launch_out_of_resources,
           "its bounds allow " + std::to_string(k.code->max_threads) + " threads a block", "take fewer");
  const std::uint32_t most =
      std::max(k.shared_most, kHostShared - std::min(kHostShared, k.code->static_shared));
  if (launch.shared > most || launch.shared + k.code->static_shared > kHostSharedMost)
    refuse(Status::invalid_value, "it has too much shared memory",
           "ask for it by cudaFuncSetAttribute, or take less");
  if (std::uint64_t(launch.cluster.x) * launch.cluster.y * launch.cluster.z != 1)
    refuse(Status::not_supported, "clusters of blocks are not interpreted", "run it on a server with a GPU");
  if (parameters.size < k.code->parameter_bytes)
    refuse(Status::invalid_value, "it has fewer parameters than it needs", "pass all");
  if (launch.cooperative &&
      g.x * std::uint64_t(g.y) * g.z >
          std::uint64_t(host_occupancy(static_cast<int>(threads), k.code->static_shared + launch.shared)) *
              static_cast<std::uint64_t>(pool_.threads()))
    refuse(Status::cooperative_launch_too_large, "it has more blocks than can wait for each other",
           "take fewer");
  ptx::Launching made;
  made.grid = {g.x, g.y, g.z};
  made.block = {b.x, b.y, b.z};
  made.dynamic_shared = launch.shared;
  made.parameters.assign(static_cast<const char*>(parameters.data),
                         static_cast<const char*>(parameters.data) + k.code->parameter_bytes);
  made.memory = &memory_;
  made.grid_id = ++launches_;
  made.checked = checked_;
  const bool cooperative = launch.cooperative;
  enqueue(launch.stream, {}, [this, k, made = std::move(made), cooperative] {
    ptx::Launching now = made;                              // copied, because a graph repeats it
    if (cooperative) now.workspace = memory_.allocate(256); // {bytes, barrier}, as for cooperative groups
    const std::uint64_t workspace = now.workspace, blocks = now.grid.count();
    if (workspace) std::memset(reinterpret_cast<void*>(workspace), 0, 256);
    try {
      pool_.run(std::make_shared<ptx::Grid>(*k.code, std::move(now)), blocks);
    } catch (const ptx::Fault& fault) {
      remember(status_of(fault), fault.what());
    }
    if (workspace) memory_.release(workspace);
  });
}

void HostDevice::copy_2d(const Copy2D& c, StreamId stream) {
  if (c.width == 0 || c.height == 0) return;
  if (c.width > c.to_pitch || c.width > c.from_pitch)
    throw DeviceError(Status::invalid_value, "a row is longer than its pitch",
                      "give the pitch of cudaMallocPitch");
  enqueue(stream,
          {{c.to, (c.height - 1) * c.to_pitch + c.width}, {c.from, (c.height - 1) * c.from_pitch + c.width}},
          [c] {
            for (std::uint64_t row = 0; row < c.height; ++row)
              std::memmove(reinterpret_cast<void*>(c.to + row * c.to_pitch),
                           reinterpret_cast<const void*>(c.from + row * c.from_pitch), c.width);
          });
}

void HostDevice::fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
                      std::uint64_t pitch, StreamId stream) {
  if (width == 0 || height == 0) return;
  const std::uint64_t row = width * static_cast<std::uint64_t>(element);
  if ((element != 1 && element != 2 && element != 4) || to % static_cast<unsigned>(element) ||
      (height > 1 && row > pitch))
    throw DeviceError(Status::invalid_value, "a fill is not of whole elements", "align it");
  enqueue(stream, {{to, (height - 1) * pitch + row}}, [=] {
    for (std::uint64_t y = 0; y < height; ++y) {
      auto* at = reinterpret_cast<char*>(to + y * pitch);
      if (element == 1)
        std::memset(at, static_cast<int>(value & 0xff), width);
      else if (element == 2)
        std::fill_n(reinterpret_cast<std::uint16_t*>(at), width, static_cast<std::uint16_t>(value));
      else
        std::fill_n(reinterpret_cast<std::uint32_t*>(at), width, value);
    }
  });
}

// Polls the word, as a GPU does, and sleeps between reads.
template <class Word>
void HostDevice::operate(StreamId stream, const WordOperation& o, bool writes) {
  const auto value = static_cast<Word>(o.value);
  auto* const word = reinterpret_cast<Word*>(o.at);
  if (writes)
    return enqueue(stream, {{o.at, sizeof(Word)}}, [=] { __atomic_store_n(word, value, __ATOMIC_RELEASE); });
  const auto come = [=](Word now) {
    switch (o.flags & 3) {
      case 0: return static_cast<std::make_signed_t<Word>>(now - value) >= 0;
      case 1: return now == value;
      case 2: return (now & value) != 0;
      default: return static_cast<Word>(~(now | value)) != 0;
    }
  };
  enqueue(stream, {{o.at, sizeof(Word)}}, [this, come, word] {
    while (!come(__atomic_load_n(word, __ATOMIC_ACQUIRE)) && fault_ == Status::success && !ending_)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
}

void HostDevice::word(StreamId stream, const WordOperation& o) {
  const bool wide = o.operation == 4 || o.operation == 5;
  if (!wide && o.operation != 1 && o.operation != 2)
    throw DeviceError(Status::not_supported, "an operation of a stream that is neither wait nor write",
                      "take those of 32 and 64 bits");
  const bool writes = o.operation == 2 || o.operation == 5;
  if (o.at % (wide ? 8 : 4))
    throw DeviceError(Status::invalid_value, "a word of a stream is not aligned", "align it");
  if (wide)
    operate<std::uint64_t>(stream, o, writes);
  else
    operate<std::uint32_t>(stream, o, writes);
}

} // namespace

std::unique_ptr<Device> open_host(const HostOptions& options) {
  return std::make_unique<HostDevice>(options);
}

} // namespace tasuki::remote

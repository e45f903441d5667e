// The device of a rank, its streams and its events: one interface for the host (OpenMP) and CUDA.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace tasuki {

enum class DeviceKind { host, cuda };

class Event;

// Where the memory at a pointer lies, relative to a device.
enum class Holder {
  host,
  device, // in the memory of this GPU
  other,  // in the memory of another GPU
  both,   // managed memory: accessible to the host and to GPUs
};

// A stream executes work in order. On the host it has no state: a call that enqueues work returns after doing it.
class Stream {
public:
  Stream(DeviceKind kind, bool urgent); // urgent: its kernels have priority over those of other streams
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) = delete;

  DeviceKind kind() const { return kind_; }
  void* handle() const { return handle_; } // the cudaStream_t, or null on the host
  void wait(const Event& event);           // work enqueued later starts after the event
  // Blocks the host until the stream is idle. Throws Error if a rank dies on which the stream may depend.
  void synchronize();
  bool kept() const;                            // true while work is recorded in a Graph, not executed
  void watch(World& world) { world_ = &world; } // synchronize() then also checks for dead neighbours

private:
  DeviceKind kind_;
  void* handle_ = nullptr;
  World* world_ = nullptr;
};

// A point in a stream.
class Event {
public:
  Event(DeviceKind kind, bool timed = false);
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) = delete;

  void record(Stream& stream);
  void synchronize();                         // blocks the host until the event has occurred
  bool reached() const;                       // true once the event has occurred; does not block
  double seconds_since(const Event& earlier); // both events timed and reached; host events use the wall clock
  void* handle() const { return handle_; }    // the cudaEvent_t, or null on the host

private:
  DeviceKind kind_;
  void* handle_ = nullptr;
  double clock_ = 0;
};

// The device of this rank, a part of its world: world.part<Device>(). A rank
// can use the host as an additional device, and then have grids on both:
//
//   Grid<2> far(world, {512, 512}, {.device = &Device::host(world)});
//
// Throws Error if --device cuda finds no GPU or no CUDA build, or if
// a host has more ranks than GPUs and --share-devices is not given.
class Device {
public:
  explicit Device(World& world);
  // A host device that is distinct from the world's own device, even if that is the host too: it has its own
  // streams, routes, constants and mail. Every call returns the same device. The first call is collective.
  static Device& host(World& world);

  World& world() const { return world_; }
  bool beside() const { return beside_; } // true for Device::host(), false for the world's own device
  DeviceKind kind() const { return kind_; }
  bool cuda() const { return kind_ == DeviceKind::cuda; }
  int ordinal() const { return ordinal_; }          // the number of the GPU on this node; 0 on the host
  const std::string& name() const { return name_; } // the model of the GPU, or of the CPU
  std::size_t memory() const { return memory_; }    // bytes of device memory, at most --device-memory
  bool reaches(int node_rank) const { return reaches_.at(node_rank); } // kernels can store into its memory
  Stream& stream() { return *compute_; }                               // sweeps, and work of users
  Stream& transfer() { return *transfer_; }                            // halo copies beside the sweeps
  // Blocks the host until all that this process has enqueued on it is done, on streams of the user too. Throws Error likewise.
  void synchronize();
  // True if sums are exact: by default, unless the settings select fast sums.
  bool exact_sums() const;
  Holder holder(const void* pointer) const; // of the memory at this address
  void use() const; // a thread other than the one that created the device calls this before it uses the GPU

  // A per-device object of a higher room, like a part of a world: T(Device&), constructed at first use.
  template <class T>
  T& part();

private:
  struct Beside;
  Device(World& world, DeviceKind kind, bool beside);

  World& world_;
  bool beside_ = false;
  DeviceKind kind_ = DeviceKind::host;
  int ordinal_ = 0;
  std::string name_;
  std::size_t memory_ = 0;
  std::vector<bool> reaches_;
  std::unique_ptr<Stream> compute_, transfer_;
};

namespace detail {

template <class T>
struct PartOfOwn {
  explicit PartOfOwn(World& world) : value(world.part<Device>()) {}
  T value;
};
template <class T>
struct PartOfHost {
  explicit PartOfHost(World& world) : value(Device::host(world)) {}
  T value;
};

} // namespace detail

// The world owns these objects, so that they are destroyed in reverse order of construction, like its other parts.
template <class T>
T& Device::part() {
  return beside_ ? world_.part<detail::PartOfHost<T>>().value : world_.part<detail::PartOfOwn<T>>().value;
}

std::string cpu_name(); // the model of this host's CPU

// The CUDA support of the build and of the machine, for `tasuki info`.
struct CudaInfo {
  bool built = false;  // compiled with CUDA
  int devices = 0;     // GPUs that the driver reports
  std::string version; // of the CUDA toolkit, e.g. "13.0"
  std::string reason;  // why no GPU is available
};
CudaInfo cuda_info();

} // namespace tasuki

// The device of a rank, its streams and its events: one interface for the host (OpenMP) and CUDA.
#pragma once

#include <tasuki/base/world.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace tasuki {

enum class DeviceKind { host, cuda };

class Event;

// The owner of the memory at a pointer, as seen from a device.
enum class Holder {
  host,
  device, // that one's, a GPU
  other,  // another GPU's
  both,   // managed: of the host and of GPUs
};

// A stream executes work in order. On the host it has no state: a call that enqueues work returns after doing it.
class Stream {
public:
  Stream(DeviceKind kind, bool urgent); // urgent: its kernels go before those of other streams
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) = delete;

  DeviceKind kind() const { return kind_; }
  void* handle() const { return handle_; } // the cudaStream_t, or null on the host
  void wait(const Event& event);           // what is enqueued later waits for the event
  // The host waits for the stream. Throws Error if a rank dies for which the stream may be waiting.
  void synchronize();
  bool kept() const;                            // work enqueued now is not done, but recorded in a Graph
  void watch(World& world) { world_ = &world; } // from now on it looks for dead neighbours meanwhile

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
  void synchronize();                         // the host waits for it
  bool reached() const;                       // it has come; the host does not wait
  double seconds_since(const Event& earlier); // both timed and reached; host events keep the wall clock
  void* handle() const { return handle_; }    // the cudaEvent_t, or null on the host

private:
  DeviceKind kind_;
  void* handle_ = nullptr;
  double clock_ = 0;
};

// The device of this rank, a part of its world: world.part<Device>(). There
// can be a device of the host in addition, so that a rank has grids on both:
//
//   Grid<2> far(world, {512, 512}, {.device = &Device::host(world)});
//
// Throws Error if --device cuda finds no GPU or no CUDA build, or if
// a host has more ranks than GPUs and --share-devices is not given.
class Device {
public:
  explicit Device(World& world);
  // A device of the host, distinct from the world's own even if that is the host's too: it has its own
  // streams, routes, constants and mail. Every call returns the same one. The first call is collective.
  static Device& host(World& world);

  World& world() const { return world_; }
  bool beside() const { return beside_; } // it is not the world's own
  DeviceKind kind() const { return kind_; }
  bool cuda() const { return kind_ == DeviceKind::cuda; }
  int ordinal() const { return ordinal_; }          // the GPU's number on this node; 0 on the host
  const std::string& name() const { return name_; } // of the GPU, or of the CPU
  std::size_t memory() const { return memory_; }    // bytes of device memory, at most --device-memory
  bool reaches(int node_rank) const { return reaches_.at(node_rank); } // can store into its memory
  Stream& stream() { return *compute_; }                               // sweeps, and whatever a user enqueues
  Stream& transfer() { return *transfer_; }                            // halos that travel beside the sweeps
  // True if sums are exact, which they are unless the settings ask for fast ones.
  bool exact_sums() const;
  Holder holder(const void* pointer) const; // of the memory at this address
  void use() const; // a thread other than the one that made it calls this before it uses the GPU

  // An object of a higher room of which a device has one, like a part of a world: T(Device&), made at first use.
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

// The world keeps them, so that they go in the order in which all its parts came.
template <class T>
T& Device::part() {
  return beside_ ? world_.part<detail::PartOfHost<T>>().value : world_.part<detail::PartOfOwn<T>>().value;
}

std::string cpu_name(); // of this host

// What the build and the machine have of CUDA, for `tasuki info`.
struct CudaInfo {
  bool built = false;  // compiled with CUDA
  int devices = 0;     // GPUs that the driver shows
  std::string version; // of the toolkit, "13.0"
  std::string reason;  // why there are none
};
CudaInfo cuda_info();

} // namespace tasuki

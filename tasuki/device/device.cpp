#include <tasuki/base/agree.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <omp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <utility>

namespace tasuki {
namespace {

std::string count_of(int n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

std::size_t host_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

// The kind of device, the same on every rank.
DeviceKind choose_kind(World& world) {
  agree(world, "takes its device", {});
  const std::string& wish = world.settings().device;
  if (wish != "host" && wish != "cuda" && wish != "auto")
    throw Error("there is no device '" + wish + "'", "take --device host, cuda or auto");
  std::string reason;
  struct {
    int has, rank;
  } mine{wish != "host" && cuda::devices(reason) > 0, world.rank()}, least{};
  MPI_Allreduce(&mine, &least, 1, MPI_2INT, MPI_MINLOC, world.comm());
  if (least.has) return DeviceKind::cuda;
  if (wish == "auto")
    log_info(world, [&] {
      return "no GPU is used: " + (mine.has ? "rank " + std::to_string(least.rank) + " has none" : reason);
    });
  if (wish != "cuda") return DeviceKind::host;
  if (!cuda::built())
    throw Error("--device cuda, but this build has no CUDA",
                "configure with -DTASUKI_CUDA=ON, or take --device host");
  if (!mine.has)
    throw Error("--device cuda, but no GPU: " + reason, "check nvidia-smi, or take --device host");
  throw Error("--device cuda, but rank " + std::to_string(least.rank) + " has no GPU",
              "start ranks on GPU nodes only, or take --device host");
}

// Ranks of a host that see the same GPUs divide them among themselves; a launcher may also give each rank its own.
int choose_gpu(const World& world) {
  std::string reason;
  const int count = cuda::devices(reason);
  std::uint64_t seen = 14695981039346656037u; // FNV-1a over the GPUs that this rank sees
  for (int g = 0; g < count; ++g)
    for (const char c : cuda::uuid(g)) seen = (seen ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(world.host_size()));
  MPI_Allgather(&seen, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, world.host_comm());
  int ranks = 0, place = 0;
  for (int r = 0; r < world.host_size(); ++r) {
    if (all[r] != seen) continue;
    if (r < world.host_rank()) ++place;
    ++ranks;
  }
  if (ranks > count && !world.settings().share_devices)
    throw Error(count_of(ranks, "rank") + " on this node but " + count_of(count, "GPU"),
                "start " + count_of(count, "rank") + " a node, or give --share-devices to let ranks share");
  return place % count;
}

// The ranks of the node whose memory this rank can store into: containers and IOMMUs may refuse peer access that the
// driver reports, so every rank stores a word into every other rank's memory and reads what arrived in its own.
std::vector<bool> probe_reach(const World& world, Stream& stream, int ordinal) {
  const int n = world.node_size(), me = world.node_rank();
  if (n == 1) return {true};
  struct Offer {
    cuda::SharedHandle handle;
    cuda::Uuid uuid;
  } mine;
  constexpr Flag kToken = 0x7a50c1;
  char* const memory = cuda::allocate(std::size_t{2} << 20, Memory::device);
  if (memory) mine.handle = cuda::share(memory);
  mine.uuid = cuda::uuid(ordinal);
  std::vector<Offer> offers(n);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, offers.data(), sizeof mine, MPI_BYTE, world.node_comm());

  std::string reason;
  const int visible = cuda::devices(reason);
  const auto allowed = [&](const cuda::Uuid& theirs) {
    if (theirs == mine.uuid) return true;
    for (int g = 0; g < visible; ++g)
      if (cuda::uuid(g) == theirs) return cuda::can_access(ordinal, g);
    return true; // not visible to this rank: opening the handle decides
  };
  std::vector<char*> opened(n, nullptr);
  std::vector<Flag*> slots;
  for (int r = 0; r < n; ++r) {
    if (r == me || !offers[r].handle.valid || !allowed(offers[r].uuid)) continue;
    opened[r] = cuda::open_shared(offers[r].handle);
    if (opened[r]) slots.push_back(reinterpret_cast<Flag*>(opened[r]) + me);
  }
  if (!slots.empty()) cuda::raise_flags(stream.handle(), slots, kToken + static_cast<Flag>(me));
  stream.synchronize();
  MPI_Barrier(world.node_comm());

  std::vector<Flag> got(n, 0);
  if (memory) cuda::copy(stream.handle(), got.data(), memory, got.size() * sizeof(Flag));
  std::vector<char> row(n), table(static_cast<std::size_t>(n) * n);
  for (int r = 0; r < n; ++r) row[r] = r == me || got[r] == kToken + static_cast<Flag>(r) ? 1 : 0;
  MPI_Allgather(row.data(), n, MPI_CHAR, table.data(), n, MPI_CHAR, world.node_comm());
  for (int r = 0; r < n; ++r)
    if (opened[r]) cuda::close_shared(opened[r], offers[r].handle);
  MPI_Barrier(world.node_comm()); // no rank frees memory that another still maps
  if (memory) cuda::deallocate(memory, Memory::device);

  std::vector<bool> reaches(n);
  for (int r = 0; r < n; ++r) // in both directions, so that both ranks of a face choose alike
    reaches[r] = table[static_cast<std::size_t>(me) * n + r] && table[static_cast<std::size_t>(r) * n + me];
  return reaches;
}

} // namespace

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0)
      if (const auto at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  utsname system = {}; // on ARM, /proc/cpuinfo has no model name
  return uname(&system) == 0 ? std::string(system.machine) + " CPU" : "CPU";
}

Stream::Stream(DeviceKind kind, bool urgent) : kind_(kind) {
  if (kind_ == DeviceKind::cuda) handle_ = cuda::make_stream(urgent);
}
Stream::~Stream() {
  if (handle_) cuda::free_stream(handle_);
}
Stream::Stream(Stream&& other) noexcept
    : kind_(other.kind_), handle_(std::exchange(other.handle_, nullptr)), world_(other.world_) {}

void Stream::wait(const Event& event) {
  if (kind_ == DeviceKind::cuda && event.handle()) cuda::wait_event(handle_, event.handle());
}
void Stream::synchronize() {
  if (kind_ != DeviceKind::cuda) return;
  if (world_)
    world_->part<Watch>().wait_until([this] { return cuda::stream_idle(handle_); });
  else
    cuda::synchronize_stream(handle_);
}

bool Stream::kept() const { return kind_ == DeviceKind::cuda && cuda::stream_captured(handle_); }

Event::Event(DeviceKind kind, bool timed) : kind_(kind) {
  if (kind_ == DeviceKind::cuda) handle_ = cuda::make_event(timed);
}
Event::~Event() {
  if (handle_) cuda::free_event(handle_);
}
Event::Event(Event&& other) noexcept
    : kind_(other.kind_), handle_(std::exchange(other.handle_, nullptr)), clock_(other.clock_) {}

void Event::record(Stream& stream) {
  if (kind_ == DeviceKind::cuda)
    cuda::record_event(handle_, stream.handle());
  else
    clock_ = omp_get_wtime();
}
void Event::synchronize() {
  if (kind_ == DeviceKind::cuda) cuda::synchronize_event(handle_);
}
bool Event::reached() const { return kind_ != DeviceKind::cuda || cuda::event_reached(handle_); }
double Event::seconds_since(const Event& earlier) {
  if (kind_ == DeviceKind::cuda) return cuda::seconds_between(earlier.handle_, handle_);
  return clock_ - earlier.clock_;
}

Device::Device(World& world) : Device(world, choose_kind(world), false) {}

struct Device::Beside {
  explicit Beside(World& world) : device(world, DeviceKind::host, true) {}
  Device device;
};

Device& Device::host(World& world) {
  world.part<Device>(); // the world's own device first, on every rank
  return world.part<Beside>().device;
}

Device::Device(World& world, DeviceKind kind, bool beside) : world_(world), beside_(beside), kind_(kind) {
  if (beside) agree(world, "takes a device of the host beside its own", {});
  if (cuda()) {
    ordinal_ = choose_gpu(world);
    cuda::select(ordinal_);
    name_ = cuda::name(ordinal_);
    memory_ = cuda::memory(ordinal_);
  } else {
    name_ = cpu_name();
    memory_ = host_memory();
  }
  if (const std::size_t most = world.settings().device_memory; most > 0 && !beside)
    memory_ = std::min(memory_, most);
  log_info(world, [&] {
    return std::string("device ") + (cuda() ? "cuda" : "host") + ": " + name_ + ", " +
           count_of(world.threads(), "thread") + " a rank, " + count_of(world.size(), "rank") + " on " +
           count_of(world.nodes(), "node") + "; sums are " + (exact_sums() ? "exact" : "fast");
  });
  if (cuda()) cuda::has_stream_gate(); // tested now: with flags pending, the test could deadlock
  compute_ = std::make_unique<Stream>(kind_, false);
  transfer_ = std::make_unique<Stream>(kind_, true);
  reaches_ = cuda() ? probe_reach(world, *transfer_, ordinal_)
                    : std::vector<bool>(static_cast<std::size_t>(world.node_size()), true);
  if (cuda() && world.size() > 1)
    for (Stream* stream : {compute_.get(), transfer_.get()}) stream->watch(world);
}

bool Device::exact_sums() const {
  return world_.settings().sums != "fast"; // auto is exact
}

Holder Device::holder(const void* pointer) const {
  const int where = cuda::holder(pointer);
  if (where == cuda::kOfHost) return Holder::host;
  if (where == cuda::kManaged) return Holder::both;
  return cuda() && where == ordinal_ ? Holder::device : Holder::other;
}

void Device::synchronize() {
  compute_->synchronize(); // these two look whether other ranks live meanwhile
  transfer_->synchronize();
  if (!cuda()) return;
  use();
  cuda::synchronize();
}

void Device::use() const {
  if (cuda()) cuda::select(ordinal_);
}

CudaInfo cuda_info() {
  CudaInfo info;
  info.built = cuda::built();
  info.version = cuda::toolkit();
  info.devices = cuda::devices(info.reason);
  return info;
}

} // namespace tasuki

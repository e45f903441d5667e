#include <tasuki/base/subset.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/device/memory.hpp>

#include <cstring>
#include <utility>

namespace tasuki {
namespace {

// A CUDA allocation of this size has its own pages, so that a peer maps this buffer and no other.
constexpr std::size_t kOwnPages = std::size_t{2} << 20;

[[noreturn]] void does_not_fit(std::size_t bytes, std::size_t free, const std::string& where) {
  throw Error(
      "field memory of " + bytes_text(bytes) + " does not fit: " + bytes_text(free) + " free on " + where,
      "use a smaller grid or more ranks");
}

} // namespace

Buffer::Buffer(Device& device, std::size_t bytes, Memory memory)
    : kind_(device.kind()), memory_(memory), bytes_(bytes) {
  if (bytes_ == 0) return;
  const bool cuda = kind_ == DeviceKind::cuda;
  data_ = cuda ? cuda::allocate(bytes_, memory_) : allocate_host(bytes_);
  if (data_) return;
  if (cuda && memory_ == Memory::device) does_not_fit(bytes_, cuda::free_memory(), device.name());
  does_not_fit(bytes_, free_host_memory(), "this node");
}

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer&& other) noexcept
    : kind_(other.kind_),
      memory_(other.memory_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  kind_ = other.kind_;
  memory_ = other.memory_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Buffer::release() {
  if (!data_) return;
  if (kind_ == DeviceKind::cuda)
    cuda::deallocate(data_, memory_);
  else
    deallocate_host(data_);
  data_ = nullptr;
}

// The handles of the participating ranks' GPU memory, and the mappings that this rank has opened.
struct SharedBuffer::Lent {
  std::vector<std::size_t> bytes; // by place among those that lend
  std::vector<cuda::SharedHandle> handles;
  std::vector<char*> opened;
};

SharedBuffer::SharedBuffer(Device& device, std::size_t bytes)
    : SharedBuffer(device, Ranks::of_node(device.world()), bytes) {}

SharedBuffer::SharedBuffer(Device& device, const Ranks& ranks, std::size_t bytes)
    : device_(device), ranks_(on_node(ranks)), bytes_(bytes) {
  if (!device.cuda()) {
    host_ = std::make_unique<NodeMemory>(ranks_, bytes);
    data_ = host_->data(ranks_.place());
    return;
  }
  struct Offer {
    cuda::SharedHandle handle;
    std::size_t bytes = 0, free = 0;
    int fits = 1;
  } mine;
  mine.bytes = bytes;
  if (bytes) {
    data_ = cuda::allocate((bytes + kOwnPages - 1) / kOwnPages * kOwnPages, Memory::device);
    mine.fits = data_ != nullptr;
    if (!data_) mine.free = cuda::free_memory();
    if (data_ && ranks_.size() > 1) mine.handle = cuda::share(data_);
  }
  // The memory of every rank that takes part is zeroed by now; a rank without memory makes all of them throw.
  std::vector<Offer> offers(static_cast<std::size_t>(ranks_.size()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, offers.data(), sizeof mine, MPI_BYTE, ranks_.comm());
  for (const Offer& offer : offers) {
    if (offer.fits) continue;
    if (data_) cuda::deallocate(data_, Memory::device);
    does_not_fit(offer.bytes, offer.free, device.name());
  }
  lent_ = std::make_unique<Lent>();
  for (const Offer& offer : offers) {
    lent_->bytes.push_back(offer.bytes);
    lent_->handles.push_back(offer.handle);
  }
  lent_->opened.assign(offers.size(), nullptr);
}

SharedBuffer::~SharedBuffer() {
  if (!lent_ || unwinding()) return; // other ranks may not call the destructor
  try {
    cuda::synchronize(); // this rank's stores into peers have arrived
  } catch (const Error&) {
    return; // the GPU has failed, and its memory is lost; the next use of it reports the error
  }
  for (std::size_t r = 0; r < lent_->opened.size(); ++r)
    if (lent_->opened[r]) cuda::close_shared(lent_->opened[r], lent_->handles[r]);
  MPI_Barrier(ranks_.comm()); // no rank frees memory that another still maps
  if (data_) cuda::deallocate(data_, Memory::device);
}

char* SharedBuffer::peer(int node_rank) const {
  World& world = device_.world();
  if (!device_.reaches(node_rank))
    throw Error("rank " + std::to_string(world.rank()) + " cannot store into the memory of " +
                    device_.name() + " of the node's rank " + std::to_string(node_rank),
                "take --channel mpi between them");
  const std::optional<int> place = ranks_.place_of(Ranks::of_node(world).rank(node_rank));
  if (!place)
    throw Error("rank " + std::to_string(world.rank()) + " asks for memory of the node's rank " +
                    std::to_string(node_rank) + ", which lends none",
                "let that rank be of the subset that makes it");
  if (host_) return host_->data(*place);
  if (*place == ranks_.place()) return data_;
  const auto r = static_cast<std::size_t>(*place);
  if (!lent_->opened[r] && lent_->bytes[r]) {
    if (lent_->handles[r].valid) lent_->opened[r] = cuda::open_shared(lent_->handles[r]);
    if (!lent_->opened[r])
      throw Error("the memory of the node's rank " + std::to_string(node_rank) + " could not be opened",
                  "take --channel mpi between them");
  }
  return lent_->opened[r];
}

void copy_to_host(Device& device, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (!device.cuda()) {
    std::memcpy(to, from, bytes);
    return;
  }
  device.stream().synchronize(); // may detect a dead neighbour, which the copy cannot
  cuda::copy(device.stream().handle(), to, from, bytes);
}

void copy_to_device(Device& device, void* to, const void* from, std::size_t bytes) {
  copy_to_host(device, to, from, bytes); // CUDA finds the direction from the addresses
}

void store_at_once(Device& device, void* to, const void* from, std::size_t bytes) {
  if (device.cuda())
    cuda::store(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

} // namespace tasuki

#include <remote/link/descriptor.hpp>
#include <remote/link/sealed.hpp>
#include <remote/server/lent.hpp>
#include <remote/server/refuse.hpp>

#include <sys/mman.h>

namespace tasuki::remote {

class Lent::Segment {
public:
  Segment(Device& device, int file, u64 bytes) : device_(device), bytes_(bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED)
      refuse(Status::memory_allocation, "memory of the client's cannot be mapped", "free some");
    data_ = static_cast<unsigned char*>(at);
    try {
      device_.register_host(at, bytes);
    } catch (...) {
      munmap(at, bytes);
      throw;
    }
  }
  ~Segment() {
    try {
      device_.unregister_host(data_);
    } catch (const DeviceError&) {
      // the device is faulted, and this process about to end
    }
    munmap(data_, bytes_);
  }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  unsigned char* data() const { return data_; }
  u64 bytes() const { return bytes_; }

private:
  Device& device_;
  const u64 bytes_;
  unsigned char* data_ = nullptr;
};

void Lent::take(u64 number, u64 bytes, int file) {
  const Descriptor owned(file);
  room_in(segments_);
  if (bytes == 0 || segments_.count(number) || sealed_bytes(file) < bytes)
    refuse(Status::invalid_value, "memory of the client's that cannot be used",
           "seal its size, and give each a number of its own");
  segments_[number] = std::make_shared<Segment>(device_, file, bytes);
}

unsigned char* Lent::at(u64 number, u64 offset, u64 bytes) const {
  const auto found = segments_.find(number);
  if (found == segments_.end() || offset > found->second->bytes() || bytes > found->second->bytes() - offset)
    refuse(Status::invalid_value, "a copy outside of the memory that the client has lent", "lend it first");
  return found->second->data() + offset;
}

std::shared_ptr<Lent::Segment> Lent::give_back(u64 number) {
  const auto found = segments_.find(number);
  if (found == segments_.end())
    refuse(Status::invalid_resource_handle, "no such memory of the client's", "lend it first");
  auto last = std::move(found->second);
  segments_.erase(found);
  return last;
}

} // namespace tasuki::remote

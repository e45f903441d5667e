#include <tasuki/device/addresses.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/log.hpp>
#include <tasuki/device/cuda_backend.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace tasuki {

Addresses::Addresses(Device& device, std::size_t bytes, const std::vector<std::uintptr_t>& candidates)
    : device_(device), bytes_(bytes) {
  World& world = device.world();
  if (device.cuda()) step_ = std::max(step_, cuda::granularity());
  for (const std::uintptr_t at : candidates)
    if (take(at)) break;
  if (!data_) { // where all are given the same, or else where rank 0 is given some
    char* const some = reserve(0);
    const auto mine = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(some));
    const std::uint64_t at = of_root(world, mine);
    if (!any_rank(world, !some || at != mine)) {
      data_ = some;
    } else {
      if (some) give_back(some);
      if (at) take(at);
    }
  }
  const auto text = [&] {
    std::ostringstream line;
    line << (bytes_ >> 30) << " GiB of addresses for arrays over devices";
    return line.str();
  };
  if (!data_)
    throw Error("no place for " + text() + " is free on every rank",
                "give another --space-at, or a smaller --space-size");
  log_debug(world, [&] {
    std::ostringstream line;
    line << text() << " begin at " << static_cast<const void*>(data_);
    return line.str();
  });
}

bool Addresses::take(std::uintptr_t at) {
  char* const got = reserve(at);
  if (any_rank(device_.world(), !got)) {
    if (got) give_back(got);
    log_debug(device_.world(), [&] {
      std::ostringstream line;
      line << "addresses from " << reinterpret_cast<void*>(at) << " are not free on every rank";
      return line.str();
    });
    return false;
  }
  data_ = got;
  return true;
}

char* Addresses::reserve(std::uintptr_t at) const {
  void* const wish = reinterpret_cast<void*>(at);
  void* got = nullptr;
  if (device_.cuda()) {
    got = cuda::try_addresses(static_cast<char*>(wish), bytes_);
  } else {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    got = mmap(wish, bytes_, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) got = nullptr;
  }
  if (!got || !at || got == wish) return static_cast<char*>(got);
  give_back(static_cast<char*>(got));
  return nullptr;
}

void Addresses::give_back(char* at) const noexcept {
  if (device_.cuda())
    cuda::free_addresses(at, bytes_);
  else
    munmap(at, bytes_);
}

bool Addresses::put(char* at) {
  if (!device_.cuda())
    return mmap(at, step_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
  const std::uint64_t memory = cuda::create_memory(step_);
  if (memory == 0) return false;
  cuda::map_memory(at, step_, memory);
  cuda::release_memory(memory); // the mapping keeps it
  return true;
}

void Addresses::drop(char* at) noexcept {
  if (device_.cuda())
    cuda::unmap_memory(at, step_);
  else
    mmap(at, step_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Addresses::~Addresses() {
  if (data_) give_back(data_);
}

} // namespace tasuki

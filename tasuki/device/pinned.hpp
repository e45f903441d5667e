// Memory of the host that exists already, pinned: kernels and copy engines of a device reach it at its own address.
//
//   const PinnedPages pinned(device, start, bytes); // while it lives; whole pages of the system
#pragma once

#include <tasuki/device/device.hpp>

#include <cstddef>

namespace tasuki {

class PinnedPages {
public:
  PinnedPages() = default; // none
  // Does nothing where the device is the host. Throws Error if the system does not pin so much, or if the GPU has another
  // address for it.
  PinnedPages(Device& device, char* start, std::size_t bytes);
  ~PinnedPages();
  PinnedPages(PinnedPages&& other) noexcept;
  PinnedPages& operator=(PinnedPages&& other) noexcept;

private:
  char* start_ = nullptr; // null: nothing is pinned
};

} // namespace tasuki

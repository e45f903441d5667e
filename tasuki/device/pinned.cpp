#include <tasuki/device/pinned.hpp>

#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/memory.hpp>

#include <utility>

namespace tasuki {

PinnedPages::PinnedPages(Device& device, char* start, std::size_t bytes) {
  if (!device.cuda()) return;
  if (!cuda::pin(start, bytes))
    throw Error(
        bytes_text(bytes) + " of host memory cannot be pinned for GPU " + std::to_string(device.ordinal()),
        "raise the limit of locked memory (ulimit -l), or use a smaller grid");
  start_ = start;
}

PinnedPages::~PinnedPages() {
  if (start_) cuda::unpin(start_);
}

PinnedPages::PinnedPages(PinnedPages&& other) noexcept : start_(std::exchange(other.start_, nullptr)) {}

PinnedPages& PinnedPages::operator=(PinnedPages&& other) noexcept {
  std::swap(start_, other.start_);
  return *this;
}

} // namespace tasuki

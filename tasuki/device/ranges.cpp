#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/ranges.hpp>

#include <utility>

namespace tasuki {

Ranges::Ranges(World& world) {
  if (world.settings().ranges && cuda::built()) to(cuda::begin_range, cuda::end_range);
}

void Ranges::to(std::function<void(const char* name)> begin, std::function<void()> end) {
  begin_ = std::move(begin);
  end_ = std::move(end);
}

} // namespace tasuki

#include <tasuki/device/memory.hpp>

#include <tasuki/device/cuda_backend.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/device/host_memory.hpp>

#include <algorithm>
#include <cstdio>

namespace tasuki {

std::size_t memory_for_fields(World& world) {
  const auto& device = world.part<Device>();
  return device.cuda() ? device.memory() : std::min(device.memory(), memory_on_host(world));
}

std::size_t free_memory(const Device& device) {
  return device.cuda() ? cuda::free_memory() : memory_on_host(device.world());
}

std::size_t memory_on_host(const World& world) {
  return free_host_memory() / static_cast<std::size_t>(world.host_size());
}

std::string bytes_text(std::size_t bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

} // namespace tasuki

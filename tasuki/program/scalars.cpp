#include <tasuki/program/scalars.hpp>

namespace tasuki::detail {

ScalarsCore::ScalarsCore(World& world, std::string name, int count)
    : world_(world),
      device_(world.part<Device>()),
      name_(std::move(name)),
      count_(count),
      memory_(device_, static_cast<std::size_t>(count) * sizeof(double)) {}

void ScalarsCore::read(double* to) const {
  device_.stream().synchronize();
  copy_to_host(device_, to, memory_.data(), static_cast<std::size_t>(count_) * sizeof(double));
}

void ScalarsCore::write(const double* from) {
  copy_to_device(device_, memory_.data(), from, static_cast<std::size_t>(count_) * sizeof(double));
}

} // namespace tasuki::detail

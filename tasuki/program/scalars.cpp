#include <tasuki/program/scalars.hpp>

namespace tasuki::detail {

ScalarsCore::ScalarsCore(Device& device, std::string name, int count)
    : world_(device.world()),
      device_(device),
      name_(std::move(name)),
      memory_(device_, static_cast<std::size_t>(count) * sizeof(double)) {}

void ScalarsCore::read(double* to, int first, int count) const {
  device_.stream().synchronize();
  copy_to_host(device_, to, data() + first, static_cast<std::size_t>(count) * sizeof(double));
}

void ScalarsCore::write(const double* from, int first, int count) {
  copy_to_device(device_, data() + first, from, static_cast<std::size_t>(count) * sizeof(double));
}

} // namespace tasuki::detail

// Lists that kernels read.
//
//   const Buffer list = on_device(device, std::vector<int>{2, 3, 5});
#pragma once

#include <tasuki/device/buffer.hpp>

#include <algorithm>
#include <vector>

namespace tasuki {

// Copies a list to device memory.
template <class T>
Buffer on_device(Device& device, const std::vector<T>& list) {
  Buffer buffer(device, std::max<std::size_t>(1, list.size()) * sizeof(T));
  if (!list.empty()) copy_to_device(device, buffer.data(), list.data(), list.size() * sizeof(T));
  return buffer;
}

} // namespace tasuki

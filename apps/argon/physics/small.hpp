// The few numbers of a replica that a kernel uses besides its atoms, in device memory.
#pragma once

#include <apps/argon/engine/batch.hpp>
#include <tasuki/device/buffer.hpp>

#include <vector>

namespace tasuki::argon {

struct Small {
  static constexpr std::size_t kBytes =
      sizeof(Conditions) + sizeof(float) + sizeof(std::uint32_t) + sizeof(Measured); // per replica

  Buffer conditions, factors, numbers, measured;

  Small(Device& device, const std::vector<std::uint32_t>& of)
      : conditions(device, of.size() * sizeof(Conditions)),
        factors(device, of.size() * sizeof(float)),
        numbers(device, of.size() * sizeof(std::uint32_t)),
        measured(device, of.size() * sizeof(Measured)) {
    copy_to_device(device, numbers.data(), of.data(), numbers.bytes());
  }
  void put_in(Batch& b) const {
    b.conditions = reinterpret_cast<const Conditions*>(conditions.data());
    b.factors = reinterpret_cast<const float*>(factors.data());
    b.numbers = reinterpret_cast<const std::uint32_t*>(numbers.data());
    b.measured = reinterpret_cast<Measured*>(measured.data());
  }
};

} // namespace tasuki::argon

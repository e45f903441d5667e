// Addresses that are the same on every rank, reserved for memory of devices that is mapped there later.
//
//   Addresses all(device, std::size_t{1} << 36, {0x400000000000, 0x480000000000}); // 64 GiB of them, at the first that are free
//   SharedRange range(device, bytes, pieces, {.at = all.data(), .what = "array 'a'"});
//
// Reserved addresses cost no memory. A GPU's driver refuses a place of one's choice for few of them (2 to 24 MiB), and grants
// it for many (64 GiB to 8 TiB), so one reservation serves all arrays.
#pragma once

#include <tasuki/device/device.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasuki {

class Addresses {
public:
  // `bytes` of addresses, whole steps, at the first of `candidates` that every rank of the world gets, or else where rank 0
  // gets some. Throws Error on every rank if the others do not get these either. Collective.
  Addresses(Device& device, std::size_t bytes, const std::vector<std::uintptr_t>& candidates);
  ~Addresses(); // nothing is mapped there any more
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t step() const { return step_; } // what is mapped begins and ends at multiples of it: 2 MiB
  // One step of memory of this rank's device, which no other rank has there. False if none is left. Its values are not defined.
  bool put(char* at);
  void drop(char* at) noexcept;
  bool has(const void* at) const { return at >= data_ && at < data_ + bytes_; }

private:
  char* reserve(std::uintptr_t at) const; // null where these are not free; 0: anywhere
  void give_back(char* at) const noexcept;
  bool take(std::uintptr_t at); // on every rank or on none

  Device& device_;
  const std::size_t bytes_;
  std::size_t step_ = std::size_t{2} << 20;
  char* data_ = nullptr;
};

} // namespace tasuki

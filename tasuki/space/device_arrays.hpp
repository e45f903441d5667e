// Arrays over the devices: each has one address on all ranks, and what a rank owns of it lies in its device's memory, where
// kernels of all ranks of its node load and store it.
//
//   DeviceArrays arrays(world, range.view(), range.view() + range.size(), &server); // beside the range of a space
//   DeviceArray& a = arrays.add(Map({n}, {4}, 8, 0, 4), "a");       // collective
//   a.start + 8 * i;                                                // element i, for every kernel of the node
//   arrays.settle();                                                // what this rank's kernels wrote is there
//   arrays.bring(a, {{0, 4096}}, false, DeviceCache::Keep::once);   // of another node's part: a copy
//   arrays.free(a);                                                 // collective
//
// Memory is cut in steps of 2 MiB: the owner of the element at a step's first byte has all of it.
#pragma once

#include <tasuki/device/addresses.hpp>
#include <tasuki/device/shared_range.hpp>
#include <tasuki/space/device_cache.hpp>
#include <tasuki/space/map.hpp>
#include <tasuki/space/reach.hpp>
#include <tasuki/space/section.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::space {

struct DeviceArray {
  Map map;
  std::string name;
  char* start = nullptr;
  std::size_t bytes = 0;               // whole steps
  std::unique_ptr<SharedRange> memory; // what this node has of it; null where that is nothing
  Counts* counts = nullptr;            // what it cost this rank
  Buffer reach;                        // what kernels look up; empty before they are to

  bool has(const void* at) const { return at >= start && at < start + bytes; }
};

// What an array cost this rank; it stays when the array has ended.
struct DeviceCost {
  std::string name;
  std::uint64_t bytes = 0;
  Counts counts;
};

// Throws Error on all ranks where one of those that take part does not reach the memory of another of its node: `reaches`, by
// the other's number in the node. Collective.
void check_reach(World& world, const std::string& array, bool takes_part,
                 const std::function<bool(int)>& reaches);

class DeviceArrays {
public:
  // Reserves as many addresses as all GPUs have memory, 64 GiB or more, outside of those from `begin` to `end`, for the
  // world's own device. `server`: null where there is one node. Throws Error if there is no such place, or no device.
  // Collective.
  DeviceArrays(World& world, const char* begin, const char* end, Server* server);

  // Zeroed. Throws Error if GPUs of a node do not reach each other, or if there is not enough memory or too few addresses.
  // Collective.
  DeviceArray& add(const Map& map, const std::string& name);
  // By all ranks, behind a synchronisation. Its addresses are given out again.
  void free(const DeviceArray& array);

  DeviceArray* find(const void* at) const; // null where there is none
  // Of all arrays that have been made, in this order.
  const std::vector<std::unique_ptr<DeviceCost>>& costs() const { return costs_; }
  bool has(const void* at) const { return addresses_.has(at); }
  Device& device() const { return device_; }
  void settle(); // waits for this rank's device. Throws Error if a kernel has touched what is not there
  Reach reach(DeviceArray& array);
  void finish() noexcept; // likewise, before memory goes; a device that failed is left
  // Copies of what other nodes have of these bytes of an array; none where this node has it.
  void bring(const DeviceArray& array, const std::vector<Bytes>& runs, bool write, DeviceCache::Keep keep);
  DeviceCache* cache() { return cache_ ? &*cache_ : nullptr; } // null where there is one node

private:
  DeviceArrays(Device& device, const char* begin, const char* end, std::uint64_t bytes, Server* server);
  void note(std::uint64_t step, bool there);
  std::size_t place_for(std::size_t bytes, const std::string& name) const;

  Device& device_;
  Addresses addresses_;
  std::vector<std::unique_ptr<DeviceArray>> arrays_; // ascending
  std::vector<std::unique_ptr<DeviceCost>> costs_;
  std::optional<DeviceCache> cache_;
};

} // namespace tasuki::space

// Which copy of this rank's own memory a directive works on: the host's, the device's, or both. Internal.
//
//     #pragma xmp bcast (x) acc   ->   on_sides(TSK_DEVICE, {{x, bytes}}, "what bcast names", [&](const Memories& memory) {
//                                        broadcast(ranks, memory[0], bytes, root); });
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tasuki::xmp {

struct OwnMemory {
  void* host;
  long bytes;
  bool number = false; // its one value is the host's where the device has no copy
};
using Memories = std::vector<char*>; // of each OwnMemory: the host's memory, or a copy of the device's

// Calls act once for each side of `sides` (TSK_HOST, TSK_DEVICE), and stores what it leaves in the device's copies. Throws Error,
// which names the memory by `name`, if the device has no copy of what is no number.
void on_sides(int sides, const std::vector<OwnMemory>& all, const std::string& name,
              const std::function<void(const Memories&)>& act);

} // namespace tasuki::xmp

#include "sides.hpp"

#include "present.hpp"
#include "translated.h"

namespace tasuki::xmp {
namespace {

// The device's copy of some memory; null if there is none.
char* device_copy(const OwnMemory& own, const std::string& name) {
  Present::Entry* const entry = RunTime::now().part<Present>().find(own.host, own.bytes, name);
  return entry ? entry->device + (static_cast<char*>(own.host) - entry->host) : nullptr;
}

} // namespace

void on_sides(int sides, const std::vector<OwnMemory>& all, const std::string& name,
              const std::function<void(const Memories&)>& act) {
  RunTime& run_time = RunTime::now();
  Memories host, device, there;
  std::vector<std::vector<char>> copies;
  bool has_copy = false; // the same on all ranks, as they have the same sides done
  for (const OwnMemory& own : all) {
    host.push_back(static_cast<char*>(own.host));
    const bool asked = (sides & TSK_DEVICE) && run_time.apart();
    there.push_back(asked && own.bytes > 0 ? device_copy(own, name) : nullptr);
    if (asked && own.bytes > 0 && !own.number && !there.back())
      throw Error(name + " is not present on the device", "bring it over by a data clause before");
    has_copy = has_copy || (asked && (there.back() || !own.number));
    copies.emplace_back(there.back() ? static_cast<std::size_t>(own.bytes) : 0);
    device.push_back(there.back() ? copies.back().data() : host.back());
  }
  if (!has_copy || (sides & TSK_HOST)) act(host);
  if (!has_copy) return;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (there[k]) copy_to_host(run_time.accelerator(), copies[k].data(), there[k], copies[k].size());
  act(device);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (there[k]) copy_to_device(run_time.accelerator(), there[k], copies[k].data(), copies[k].size());
}

} // namespace tasuki::xmp

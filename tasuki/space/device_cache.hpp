// Copies of what other nodes have of arrays over devices: steps of 2 MiB, in this rank's device, under their own addresses.
//
//   DeviceCache cache(device, addresses, server);
//   cache.bring({{7, 3, &counts}}, true, DeviceCache::Keep::once); // step 7, whose home is rank 3, to be written
//   cache.send_home();                    // what is written now, at a synchronisation;
//   cache.take_in();                      // behind all ranks' send_home(), as a home;
//   cache.refresh(false);                 // behind all ranks' take_in(): copies are dropped, or brought up to date
//
// A copy is its rank's own. Kernels cannot be made to wait for what is not there, so nothing arrives by a touch, and only
// copies that were asked for to be written are compared with their twins.
#pragma once

#include <tasuki/device/addresses.hpp>
#include <tasuki/space/server.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace tasuki::space {

class DeviceCache {
public:
  struct Wanted {
    std::uint64_t step = 0;   // of the addresses, from 0
    int home = 0;             // a rank
    Counts* counts = nullptr; // of its array
  };

  // `told`: is called when a copy of a step is there, and when it goes.
  using Told = std::function<void(std::uint64_t step, bool there)>;
  DeviceCache(Device& device, Addresses& addresses, Server& server, Told told = {});
  ~DeviceCache();
  DeviceCache(const DeviceCache&) = delete;
  DeviceCache& operator=(const DeviceCache&) = delete;

  enum class Keep {
    once,   // until the next synchronisation
    held,   // synchronisations bring it up to date from now on
    always, // likewise, also those that give copies back
  };
  // Any thread may call it. Throws Error if the device has no memory for it.
  void bring(const std::vector<Wanted>& wanted, bool write, Keep keep);
  void forget(std::uint64_t step, std::uint64_t count); // copies of what ends
  bool any() const { return !copies_.empty(); }
  bool has(std::uint64_t step) const; // a copy is there

  void send_home();
  void take_in();
  void refresh(bool drop);

private:
  struct Copy {
    int home = 0;
    Counts* counts = nullptr;
    Keep keep = Keep::once;
    bool written = false;
    std::vector<char> twin; // of what is written
  };
  char* at(std::uint64_t step) const { return addresses_.data() + step * addresses_.step(); }
  bool map(std::uint64_t step); // memory for a copy; false if none is left
  void unmap(std::uint64_t step);
  void fetch(const std::vector<std::uint64_t>& steps);
  std::vector<char> read(std::uint64_t step) const;               // what the device has there
  void write(std::uint64_t step, const std::vector<char>& bytes); // likewise
  std::vector<char> answer(const Head& head, const char* rest, std::size_t count);

  Device& device_;
  Addresses& addresses_;
  Server& server_;
  const Told told_;
  mutable std::mutex mutex_; // of copies
  std::map<std::uint64_t, Copy> copies_;
  std::mutex kept_mutex_;
  std::vector<std::pair<int, std::vector<char>>> kept_; // patches, by the rank that wrote them
};

} // namespace tasuki::space

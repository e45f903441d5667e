// The memory of other devices of the program that a device's worker reaches, on one host: it has it at the same addresses.
//
//   Neighbours near(device);
//   if (near.reach(other, address, bytes)) device.calls().post(call::Copy{..});   // by the one device, past the client
//   near.open(other);                                  // all of it, also what is allocated later: kernels may go there
//
// Memory goes from worker to worker as files, which the client passes on. A link to another host passes none, nor one that keeps a
// log. What a device changes in another's memory no call of that other says, so whoever has given memory away once (shared())
// reads nothing ahead, and its copies from the program are there when they return: other devices may look.
#pragma once

#include <remote/wire/fields.hpp>
#include <remote/wire/ranges.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace tasuki::remote {

class VirtualDevice;

class Neighbours {
public:
  explicit Neighbours(VirtualDevice& device) : device_(device) {}
  ~Neighbours();

  // Whether this device reaches the other's memory at all.
  bool can_reach(Neighbours& other);
  // Whether it reaches this range now. False also where a worker cannot be asked for it at the moment.
  bool reach(Neighbours& other, u64 address, u64 bytes);
  // Throws Failure where it cannot be had.
  void open(Neighbours& other);
  void close(Neighbours& other);
  bool is_open(Neighbours& other);

  void share(); // before another device first reads or changes memory of this one
  bool shared() const { return shared_.load(std::memory_order_acquire); } // others have memory of this device

  // The device's worker has mapped this, or is about to unmap it. False: a device to which all is open cannot have it.
  bool mapped(u64 address, u64 bytes);
  void unmapping(u64 address, u64 bytes);

private:
  struct Other {
    bool can = false, open = false;
    std::set<u64> units; // of its memory that are here
  };
  Other* other(Neighbours& other);
  bool import(Neighbours& other, u64 address, u64 bytes);
  void forget(u64 address, u64 bytes);

  VirtualDevice& device_;
  Ranges units_; // of this device, as they were mapped
  std::map<Neighbours*, Other> others_;
  std::set<Neighbours*> readers_; // to whom this is one of others_
  std::once_flag given_;
  std::atomic<bool> shared_{false};
  static std::mutex mutex_; // of all devices
};

} // namespace tasuki::remote

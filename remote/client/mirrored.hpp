// The memory of one device that the program reaches by the device's addresses: managed memory, and mapped memory of the host.
//
//   Mirrored memory(device, base, bytes, worker);   // worker: maps and unmaps at the device
//   u64 p = memory.allocate(1 << 20);               // *reinterpret_cast<int*>(p) = 7 works at once
//   memory.before(stream);                          // before a launch: what the host has changed goes there, in this stream
//   memory.touch(address, writes);                  // from the handler of SIGSEGV: waits for the device, and fetches
//
// A kernel may be using all of it, so a launch takes the host's pages away and the next touch waits for the device. What was
// sent in one stream is waited for by the others. A function of the program's that runs in a stream waits for nothing, and what it
// has changed is sent before its stream goes on.
#pragma once

#include <remote/client/arena.hpp>
#include <remote/client/mirror.hpp>

#include <set>

namespace tasuki::remote {

class VirtualDevice;

class Mirrored {
public:
  Mirrored(VirtualDevice& device, u64 base, u64 bytes, Arena::Worker worker);
  ~Mirrored();

  u64 allocate(u64 bytes); // 0: out of memory
  bool release(u64 address, bool busy);
  std::optional<Arena::Range> find(u64 address);
  bool holds(u64 address) const { return address >= base_ && address - base_ < bytes_; }
  u64 mapped();
  u64 used();

  // Work that may touch all of it, or these bytes, is about to be enqueued in this stream.
  void before(u64 stream) { before(stream, base_, bytes_); }
  void before(u64 stream, u64 address, u64 bytes);
  // The host is about to read these bytes: they come at once, once the stream has been waited for.
  void fetch(u64 stream, u64 address, u64 bytes);
  // A function of the program's has run in a stream that stops for it.
  void after_function();
  u64 given() const { return given_; }
  // The device has finished all that was enqueued when given() was this; or whatever uses what was released, too.
  void settled(u64 given, bool all);

  // False: no memory of these is there, and the program is wrong. Throws Failure where the device cannot be asked.
  bool touch(u64 address, bool writes);
  // The memory that holds this address, of any device; null: none.
  static Mirrored* of(u64 address);
  VirtualDevice& device() { return device_; }

private:
  u64 quiet();
  void fetch_now(void* to, u64 address, u64 bytes);

  VirtualDevice& device_;
  const u64 base_, bytes_;
  Mirror mirror_;
  std::mutex arena_mutex_;
  Arena arena_;
  std::mutex order_mutex_;
  u64 event_ = 0;        // behind what was sent last
  bool sending_ = false; // it may not be over yet
  std::set<u64> behind_; // streams that come behind it
  std::atomic<u64> given_{0}, settled_{0};
  std::mutex quiet_mutex_;
  u64 quiet_ = 0; // a stream that waits for none
};

} // namespace tasuki::remote

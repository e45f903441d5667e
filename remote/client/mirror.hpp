// Memory that the program and its device reach by one address: pages of the host that mirror the device's.
//
//   Mirror mirror(base, bytes);
//   mirror.add(base, 32 << 20);               // the device has mapped memory there: the host has pages too, all zero
//   mirror.give(base, bytes, send);           // the device may change it: what the host has changed is sent, its pages go
//   mirror.touched(address, writes, fetch);   // the host has touched a page without access: it is fetched
//
// `bytes` of addresses at `base` are reserved already, without access. Pages are kept in blocks of 64 KiB, each of which is
// the host's or the device's or, since the host has only read it, of both. The host sees them by protection alone: all of
// them are a file in memory that is mapped a second time, and what is sent and fetched goes by that mapping. So no other
// thread sees half of a block. Any thread may call anything; `send` and `fetch` are called with the mirror's lock held.
#pragma once

#include <remote/wire/fields.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace tasuki::remote {

class Mirror {
public:
  static constexpr u64 block = 64u << 10;
  static constexpr u64 most_at_once =
      4u << 20; // of a fetch, which grows while the host goes on where the last one ended

  Mirror(u64 base, u64 bytes);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // In whole blocks. False: this host has no more memory.
  bool add(u64 address, u64 bytes);
  void remove(u64 address, u64 bytes);

  using Send = std::function<void(u64 address, View bytes)>;
  using Fetch = std::function<void(void* to, u64 address, u64 bytes)>;
  // Whether anything was sent.
  bool give(u64 address, u64 bytes, const Send& send);
  // Whether the host lacks a block of these.
  bool lacks(u64 address, u64 bytes);
  // False: there is no memory.
  bool touched(u64 address, bool writes, const Fetch& fetch);
  // All of these at once.
  void fetch(u64 address, u64 bytes, const Fetch& fetch);

private:
  enum State : unsigned char {
    absent,
    fresh,     // nobody has written there, but the host may by now: the file knows
    devices,   // the host has no access
    same,      // the host may read
    hosts_own, // the host may write, and has
  };
  bool open();
  void set(std::size_t first, std::size_t last, State state); // blocks, and the host's access to them
  void look_at_fresh(std::size_t first, std::size_t last);
  void fetch_blocks(std::size_t first, std::size_t last, const Fetch& fetch);
  void* view(std::size_t n) const { return reinterpret_cast<void*>(base_ + n * block); }

  const u64 base_, bytes_;
  std::mutex mutex_;
  int file_ = -1;
  unsigned char* alias_ = nullptr;
  std::vector<State> states_;
  std::atomic<u64> held_{0}; // blocks that the host has
  std::size_t next_ = 0, window_ = 1;
};

} // namespace tasuki::remote

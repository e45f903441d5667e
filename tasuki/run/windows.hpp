// Windows on fields in host memory: the planes of them that are on the device while a pass goes over their block. There are
// three of each, so that one slab is brought, one is worked on and one is taken back at once, on three streams; planes that
// the next slab needs are copied from window to window on the device.
//
//   Windows windows(device, planner.fields());
//   windows.open(pass, slabs);                      // the fields hold their windows now
//   for (const Slab& slab : slabs) {
//     windows.enter(slab);
//     .. launches sweeps on device.stream()
//     windows.leave(slab);
//   }
//   windows.close();                                // they hold their memories again
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/copy.hpp>
#include <tasuki/field/room.hpp>
#include <tasuki/run/pass.hpp>
#include <tasuki/run/report.hpp>

#include <array>
#include <string>
#include <vector>

namespace tasuki {

class Windows {
public:
  // For those of `fields` that lie outside of the device. Collective.
  Windows(Device& device, const Pass::Fields& fields);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  // The most planes that a slab of this pass may have: below 1 where there is no room for it.
  long height(const Pass& pass) const;
  // Whether its slabs are at least as high as what they need of their neighbours.
  bool suits(const Pass& pass) const;
  // Throws Error where not even slabs of one plane have room.
  void check(const Pass& pass, const std::string& sweep) const;

  void open(const Pass& pass, const std::vector<Slab>& slabs);
  void enter(const Slab& slab);
  void leave(const Slab& slab);
  void close();

  const StreamUse& use() const { return use_; } // bytes of this rank, until now

private:
  static constexpr std::size_t kWindows = 3;
  struct Place; // of a field
  static std::size_t capacity_of(const Device& device, const Room& room);
  std::size_t bytes_for(const Pass& pass, long planes) const;
  char* at(const Place& place, std::size_t window, long bottom, long plane, long run) const;
  void add_brought(const Place& place, std::size_t here, const Slab& slab, std::vector<CopyPair>& list) const;
  void reserve(std::size_t windows, std::size_t bytes);

  Device& device_;
  Room& room_;
  std::size_t capacity_; // bytes of a window of all fields
  Stream bring_, take_;
  Event begun_;
  std::vector<Event> brought_, kept_, computed_, taken_; // by window
  std::array<Buffer, kWindows> buffers_;
  std::array<Room::Share, kWindows> shares_;
  std::vector<Place> places_;
  std::vector<Place*> open_; // those that the pass touches
  long slab_ = 0;            // of the pass
  long bottom_ = 0;          // of the window before
  StreamUse use_;
};

} // namespace tasuki

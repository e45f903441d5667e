// Windows on fields in host memory: the planes that are on the device while a pass processes their block. A field has
// three windows, so that copies to the device, sweeps and copies back overlap on three streams (triple buffering).
// Planes that the next slab needs too are copied from window to window on the device.
//
//   Windows windows(device, planner.fields());
//   windows.open(pass, slabs);                      // the fields use their windows from now on
//   for (const Slab& slab : slabs) {
//     windows.enter(slab);
//     .. launches sweeps on device.stream()
//     windows.leave(slab);
//   }
//   windows.close();                                // the fields use their own memories again
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
  // For those of `fields` whose memory is outside the device. Collective.
  Windows(Device& device, const Pass::Fields& fields);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  // The most planes that a slab of this pass may have: below 1 if there is not enough memory.
  long height(const Pass& pass) const;
  // Whether slabs are at least as high as the overlap that they need of neighbouring slabs.
  bool suits(const Pass& pass) const;
  // Throws Error if there is not even memory for slabs of one plane.
  void check(const Pass& pass, const std::string& sweep) const;

  void open(const Pass& pass, const std::vector<Slab>& slabs);
  void enter(const Slab& slab);
  void leave(const Slab& slab);
  void close();

  const StreamUse& use() const { return use_; } // bytes of this rank so far

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
  std::size_t capacity_; // bytes of one window of all fields
  Stream bring_, take_;
  Event begun_;
  std::vector<Event> brought_, kept_, computed_, taken_; // by window
  std::array<Buffer, kWindows> buffers_;
  std::array<Room::Share, kWindows> shares_;
  std::vector<Place> places_;
  std::vector<Place*> open_; // those that the pass uses
  long slab_ = 0;            // number of the slab in the pass
  long bottom_ = 0;          // of the previous window
  StreamUse use_;
};

} // namespace tasuki

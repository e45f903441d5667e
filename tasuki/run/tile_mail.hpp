// The mail of a rank's tiles (device/tiled.hpp): where it lies, and which cells of which tiles travel by it.
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/run/roles.hpp>

namespace tasuki {

class TileMail {
public:
  // Of tiles laid out like this. Collective.
  TileMail(const March& march, const Roles& roles, const TiledLaunch& tiles);

  void tell(TiledLaunch& launch) const;
  long bytes() const { return put_bytes_; } // that go to other ranks in a turn

private:
  Widths halo() const;
  std::size_t room(const Layout& layout) const; // bytes of one mail
  TiledMailbox box_of(int rank, const Layout& layout);
  void list_boxes(const March& march);
  void list_cells();

  struct Neighbour {
    std::array<int, kMaxDims> direction;
    Index shift;
    Layout layout;
  };

  GridCore& grid_;
  Device& device_;
  Roles roles_;
  TiledLaunch tiles_;
  std::size_t mails_;
  Layout layout_;
  int cell_bytes_; // of the slot that has most, in the mail
  SharedBuffer mail_;
  std::vector<Neighbour> neighbours_;
  Buffer boxes_, put_from_, puts_, take_from_, takes_, take_ranks_;
  int box_count_ = 0;
  long put_bytes_ = 0;
};

// A list in device memory.
template <class T>
Buffer on_device(Device& device, const std::vector<T>& list) {
  Buffer buffer(device, std::max<std::size_t>(1, list.size()) * sizeof(T));
  if (!list.empty()) copy_to_device(device, buffer.data(), list.data(), list.size() * sizeof(T));
  return buffer;
}

} // namespace tasuki

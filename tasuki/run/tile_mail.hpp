// The mail of a rank's tiles (device/tiled.hpp): its memory, and the lists of cells that each tile sends and receives.
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/run/roles.hpp>

namespace tasuki {

class TileMail {
public:
  // For tiles with this layout. Collective.
  TileMail(const March& march, const Roles& roles, const TiledLaunch& tiles);

  void tell(TiledLaunch& launch) const;
  long bytes() const { return put_bytes_; } // sent to other ranks per turn

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
  int cell_bytes_; // in the mail, of the slot with the largest cells
  SharedBuffer mail_;
  std::vector<Neighbour> neighbours_;
  Buffer boxes_, put_from_, puts_, take_from_, takes_, take_ranks_;
  int box_count_ = 0;
  long put_bytes_ = 0;
};

} // namespace tasuki

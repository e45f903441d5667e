// What kernels of a node's ranks tell each other about a reduction (device/tiled.hpp): a board in each rank's memory,
// which kernels of all ranks store into.
//
//   Boards boards(device, bytes);      // of each board
//   boards.tell(launch);
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/tiled/tiled.hpp>

namespace tasuki {

class Boards {
public:
  // The ranks are on one node, and their GPUs can store into each other's memory. Collective.
  Boards(Device& device, std::size_t bytes);

  void tell(TiledLaunch& launch) const;

private:
  Device& device_;
  SharedBuffer board_;
  Buffer list_, world_ranks_;
};

} // namespace tasuki

// One range of addresses over memory of all ranks of a node: what a rank keeps of it lies in the memory of its device, and
// every rank, on a GPU every kernel, reads and writes all of it.
//
//   SharedRange range(device, 3 * bytes, {{me * bytes, (me + 1) * bytes}}); // three ranks, a third each
//   range.data()[bytes];                                                   // the second rank's first byte
//
// On the host it is memory that the ranks share; a rank zeroes its pieces, so their pages are on its cores' side. On GPUs
// allocations of each GPU are mapped over one reservation of addresses, in steps of the driver's granularity (2 MiB). Its own
// reservation is another one on each rank; `at` is a part of one that all ranks have alike (device/addresses.hpp).
#pragma once

#include <tasuki/device/buffer.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

class SharedRange {
public:
  // The bytes of the range that a rank keeps.
  struct Piece {
    std::size_t from = 0, to = 0;
  };

  struct Place {
    char* at = nullptr;                // reserved addresses, of whole steps; null: its own
    std::string what = "field memory"; // for errors
    bool gaps = false;                 // pieces leave steps to nobody, where nothing is mapped. Requires `at`
  };

  // `bytes` is the same on all ranks of the node; their pieces cover it, each byte once (see `gaps`). Zeroed. Throws Error if there
  // is not enough memory, or if the GPUs of the node do not reach each other. Collective over the node, as the end is.
  SharedRange(Device& device, std::size_t bytes, const std::vector<Piece>& mine)
      : SharedRange(device, bytes, mine, Place{}) {}
  SharedRange(Device& device, std::size_t bytes, const std::vector<Piece>& mine, const Place& place);
  ~SharedRange();
  SharedRange(const SharedRange&) = delete;
  SharedRange& operator=(const SharedRange&) = delete;

  char* data() const { return data_; } // of the whole; without `at` another rank has another address
  std::size_t bytes() const { return bytes_; }
  std::size_t own_bytes() const { return own_bytes_; } // of this rank's pieces

private:
  struct Mapped;
  void share_host(const std::vector<Piece>& mine, char* at);
  void leave_gaps(const std::vector<Piece>& all);

  Device& device_;
  std::size_t bytes_, own_bytes_ = 0;
  char* data_ = nullptr;
  std::unique_ptr<NodeMemory> host_;
  std::unique_ptr<Mapped> mapped_; // CUDA
};

} // namespace tasuki

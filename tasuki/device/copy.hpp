// Copies of strided boxes of bytes: how halos are packed, unpacked and stored into a neighbour's memory.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/signal/handshake.hpp>

#include <vector>

namespace tasuki {

// The result of a copy of a number with a second one: the number itself, their sum, or the first minus the second.
enum class Combine { none, add_f32, subtract_f32, add_f64, subtract_f64, add_i16, subtract_i16 };
int bytes_of(Combine combine); // of the numbers; 1 for none

// A box of bytes: runs of `run` contiguous bytes, repeated count[l] times every stride[l] bytes, innermost level
// first. levels may be 0: one run.
struct Strided {
  static constexpr int kMaxLevels =
      kMaxDims + 1; // the axes but x, and the components; x too where it is not dense
  char* base = nullptr;
  long run = 0;
  int levels = 0;
  long count[kMaxLevels] = {};
  long stride[kMaxLevels] = {};
  // In a copy's source: each number is combined with the one `with` bytes behind it.
  Combine combine = Combine::none;
  long with = 0;

  long bytes() const;
};

// The same bytes, contiguous at `base`: same run and counts, dense strides, nothing combined.
Strided packed(const Strided& shape, char* base);
// Dense levels are folded into the run, so that equal shapes look equal ("block" if one run is left).
Strided folded(Strided region);

struct CopyPair {
  Strided from, to; // same run and counts; they do not overlap
};

// Folds both sides of every pair in the same way, so that they keep equal shapes, and
// leaves out empty pairs. Throws Error if the two sides of a pair differ in run or counts.
std::vector<CopyPair> folded_alike(std::vector<CopyPair> pairs);

// Many copies as one piece of work: one kernel on a GPU. Addresses are those of the device,
// or of pinned memory. Throws Error if the two sides of a pair differ in run or counts.
class CopyPlan {
public:
  CopyPlan() = default;
  CopyPlan(Device& device, std::vector<CopyPair> pairs);

  void enqueue(Stream& stream) const;
  // The copies and the signals around them as one kernel on a GPU, if there is so little to copy that
  // its blocks may wait, and if there are few flags. Returns false, and enqueues nothing, if not.
  bool enqueue_between(Device& device, Stream& stream, const Handshake& signals,
                       const DeviceTurn& turn) const;
  // On the host, by existing threads: part `part` of `parts` parts of the work.
  void share(int part, int parts) const;
  long cost() const { return cost_; } // on the host, in bytes of long runs
  long bytes() const { return bytes_; }
  bool empty() const { return bytes_ == 0; }

private:
  std::vector<CopyPair> pairs_; // folded, none of them empty
  long bytes_ = 0;
  long cost_ = 0; // on the host: bytes, and what their runs cost besides
  // CUDA: the pairs as the kernel reads them, and their division into pieces of work.
  Buffer table_;
  int table_pairs_ = 0;
  unsigned tiles_ = 0;
  int words_per_thread_ = 1;
};

} // namespace tasuki

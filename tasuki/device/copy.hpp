// Copies of strided boxes of bytes: how halos are packed, unpacked and stored into a neighbour's memory.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/signal/handshake.hpp>

#include <vector>

namespace tasuki {

// What a copy writes: the number itself, its sum with a second number, or the number minus the second number.
enum class Combine { none, add_f32, subtract_f32, add_f64, subtract_f64, add_i16, subtract_i16 };
int bytes_of(Combine combine); // bytes of one number; 1 for none

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
  // In the source of a copy: each number is combined with the one `with` bytes after it.
  Combine combine = Combine::none;
  long with = 0;

  long bytes() const;
};

// The same bytes stored contiguously at `base`: same run and counts, dense strides, no combination.
Strided packed(const Strided& shape, char* base);
// Merges dense levels into the run, so that equal shapes compare equal ("block" if a single run is left).
Strided folded(Strided region);

struct CopyPair {
  Strided from, to; // same run and counts; source and target do not overlap
};

// Merges levels of both sides of every pair in the same way, so that their shapes stay equal,
// and removes empty pairs. Throws Error if the two sides of a pair differ in run or counts.
std::vector<CopyPair> folded_alike(std::vector<CopyPair> pairs);

// Many copies as one unit of work: one kernel on a GPU. Addresses are in device memory or
// in pinned memory. Throws Error if the two sides of a pair differ in run or counts.
class CopyPlan {
public:
  CopyPlan() = default;
  CopyPlan(Device& device, std::vector<CopyPair> pairs);

  void enqueue(Stream& stream) const;
  // Enqueues the copies and the signals before and after them as one kernel on a GPU, if the copies are small enough
  // for waiting thread blocks, and if there are few flags. Otherwise returns false and enqueues nothing.
  bool enqueue_between(Device& device, Stream& stream, const Handshake& signals,
                       const DeviceTurn& turn) const;
  // On the host, called by existing threads: does part `part` of `parts` parts of the work.
  void share(int part, int parts) const;
  long cost() const { return cost_; } // on the host: time, in bytes of a long run
  long bytes() const { return bytes_; }
  bool empty() const { return bytes_ == 0; }

private:
  std::vector<CopyPair> pairs_; // folded, none of them empty
  long bytes_ = 0;
  long cost_ = 0; // on the host: bytes, plus the overhead of short runs in bytes
  // CUDA: the pairs in the layout of the kernel, and their division into tiles.
  Buffer table_;
  int table_pairs_ = 0;
  unsigned tiles_ = 0;
  int words_per_thread_ = 1;
};

} // namespace tasuki

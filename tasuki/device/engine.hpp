// Copies of strided boxes by the GPU's copy engine, which leaves the multiprocessors to the sweeps.
#pragma once

#include <tasuki/device/copy.hpp>

namespace tasuki {

// One pitched copy per pair of at most two levels, several for deeper ones. On the host it is
// a CopyPlan.
//
// Throws Error if the two sides of a pair differ in run or counts.
class EngineCopies {
public:
  EngineCopies() = default;
  EngineCopies(Device& device, std::vector<CopyPair> pairs);

  void enqueue(Stream& stream) const;
  bool empty() const { return pairs_.empty() && host_.empty(); }

private:
  std::vector<CopyPair> pairs_; // CUDA: folded, none of them empty
  CopyPlan host_;
};

} // namespace tasuki

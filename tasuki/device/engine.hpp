// Copies of strided boxes by the device's copy engine, which leaves the processors to the sweeps.
#pragma once

#include <tasuki/device/copy.hpp>

namespace tasuki {

// One pitched copy a pair where it is at most two levels of rows; more where it is deeper. On the host
// it is a CopyPlan.
//
// Throws Error where the two sides of a pair differ in run or counts.
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

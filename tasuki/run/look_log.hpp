// The values of a reduction that a kernel of many steps leaves for the host (TiledLaunch::log).
//
//   LookLog log(device, reduction, tiles);
//   log.tell(launch);                              // a launch of at most log.most() looks
//   .. launch, log.take(), device.stream().synchronize() ..
//   for (const auto& part : log.parts(looks)) ..   // this rank's part of each look
#pragma once

#include <tasuki/device/buffer.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/device/tiled/tiled.hpp>
#include <tasuki/program/reduction.hpp>

#include <memory>
#include <vector>

namespace tasuki {

class LookLog {
public:
  // Whether tiles can leave the values of a reduction: their parts are added or merged in any order.
  static bool possible(const detail::ReductionCore& reduction) {
    return reduction.exact() || reduction.merge();
  }

  LookLog(Device& device, std::shared_ptr<detail::ReductionCore> reduction, int tiles);

  long most() const { return most_; }
  void tell(TiledLaunch& launch) const; // enqueues that the log is cleared
  void take() const;                    // enqueues that the host gets it
  // Of the first looks of the launch.
  std::vector<std::vector<char>> parts(long looks) const;

private:
  long look_bytes() const { return entries_ * reduction_->part_bytes(); }

  std::reference_wrapper<Device> device_;
  std::shared_ptr<detail::ReductionCore> reduction_;
  long entries_, most_; // of a look; looks
  Buffer log_, zeros_, host_;
  EngineCopies clear_, take_;
};

} // namespace tasuki

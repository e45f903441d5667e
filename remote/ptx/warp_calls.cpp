// Calls and returns of the lanes of a warp, and the frames of the called functions.
#include <remote/ptx/warp.hpp>

#include <remote/ptx/block.hpp>

#include <algorithm>

namespace tasuki::remote::ptx {
namespace {

constexpr std::size_t kDeepest = 4096; // nested calls

} // namespace

// Diverged lanes may be in different functions at the same depth. Their frames must not overlap although each lane has
// its own registers: 64 bits of a lane in one frame are 32 bits of two lanes in the other. Lanes in one function share
// a frame, so that they can exchange values (vote, shuffle).
std::uint32_t Warp::frame_of(Mask lanes, std::int32_t routine, std::uint32_t least) const {
  const std::vector<Routine>& routines = code_.routines;
  const auto end_of = [&](std::uint32_t base, std::int32_t index) {
    return base + routines[static_cast<std::size_t>(index)].frame;
  };
  const std::uint32_t end = end_of(least, routine);
  std::uint32_t beyond = least; // the end of all registers of other lanes
  bool free = true;
  for (Mask m = live_ & ~lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    std::uint32_t base = lane_base_[lane];
    std::int32_t index = lane_routine_[lane];
    beyond = std::max(beyond, end_of(base, index));
    // From the last call to the first: each frame is above that of its caller.
    for (std::size_t depth = lane_depth_[lane]; depth > 0 && end_of(base, index) > least; --depth) {
      const Return& caller = returns_[lane][depth - 1];
      const bool same = index == routine;
      if (same && depth == depth_ + 1 && caller.base == base_) return base;
      if (base < end && !(same && base == least)) free = false;
      base = caller.base;
      index = caller.routine;
    }
  }
  return free ? least : beyond;
}

void Warp::call(Mask lanes, const CallSite& site, std::int32_t index) {
  const Routine& routine = code_.routines[static_cast<std::size_t>(index)];
  const Mask rest = active_ & ~lanes;
  for (Mask m = rest; m; m &= m - 1) lane_pc_[__builtin_ctz(m)] = pc_;
  const std::uint32_t base = frame_of(lanes, index, base_ + site.caller_frame);
  const std::size_t need = base + routine.frame + 64;
  if (registers_.size() < need) {
    const std::vector<char> old(aligned_, registers_.data() + registers_.size());
    registers_.assign(std::max(need, 2 * registers_.size()), 0);
    const auto raw = reinterpret_cast<std::uintptr_t>(registers_.data());
    aligned_ = registers_.data() + (64 - raw % 64) % 64;
    std::memcpy(aligned_, old.data(), std::min<std::size_t>(old.size(), registers_.size() - 64));
  }
  for (Mask m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const std::uint64_t old = stack_[lane], fresh = old + site.caller_stack;
    const std::uint64_t end = block_.stack(index_ * kLanes + lane) + code_.stack;
    if (fresh + routine.stack > end || returns_[lane].size() >= kDeepest)
      fault(Fault::Kind::address, lane, "the stack of a thread is full");
    for (const Passed& p : site.arguments)
      std::memcpy(reinterpret_cast<void*>(fresh + p.at_callee),
                  reinterpret_cast<const void*>(old + p.at_caller), p.bytes);
    returns_[lane].push_back({pc_, base_, pc_ - 1, lane_routine_[lane], old});
    stack_[lane] = fresh;
    lane_base_[lane] = base;
    lane_routine_[lane] = index;
    lane_depth_[lane] = depth_ + 1;
  }
  ++depth_;
  base_ = base;
  frame_ = aligned_ + base;
  active_ = lanes;
  pc_ = routine.first;
  meet_ = kNobody;
  fill(routine, lanes);
}

void Warp::leave(Mask lanes) {
  if (depth_ == 0) {
    exit(lanes);
    return;
  }
  park();
  for (Mask m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const Return to = returns_[lane].back();
    returns_[lane].pop_back();
    for (const Passed& p : code_.ops[to.site].call->results)
      std::memcpy(reinterpret_cast<void*>(to.stack + p.at_caller),
                  reinterpret_cast<const void*>(stack_[lane] + p.at_callee), p.bytes);
    stack_[lane] = to.stack;
    lane_base_[lane] = to.base;
    lane_routine_[lane] = to.routine;
    lane_depth_[lane] = depth_ - 1;
    lane_pc_[lane] = to.pc;
  }
  select();
}

} // namespace tasuki::remote::ptx

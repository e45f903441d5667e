// A warp of 32 threads that execute instructions together if possible. Of diverged lanes, those at the greatest call
// depth run first, and of these the ones at the lowest address, so that they reconverge where their paths join.
#pragma once

#include <remote/ptx/code.hpp>
#include <remote/ptx/memory.hpp>

#include <cstring>
#include <vector>

namespace tasuki::remote::ptx {

class Block;

struct Return {
  std::uint32_t pc, base, site; // site: the call instruction
  std::int32_t routine;         // of the caller
  std::uint64_t stack;
};

class Warp {
public:
  Warp(Block& block, const Code& code, int index);
  void begin(); // at the first instruction of the kernel, for the present index of the block

  // Executes until all lanes wait or have ended, or for this many instructions. Throws Fault.
  void run(int instructions);
  bool can_go() const { return (live_ & ~waiting()) != 0; }
  bool ended() const { return live_ == 0; }

  // For instructions:
  template <class T>
  T* at(std::int32_t place) {
    return reinterpret_cast<T*>(frame_ + place);
  }
  Mask& predicate(std::int32_t place) { return *at<Mask>(place); }
  Block& block() { return block_; }
  Mask live() const { return live_; }
  Mask active() const { return active_; }
  int index() const { return index_; }
  std::uint64_t stack_of(int lane) const { return stack_[lane]; }
  std::uint32_t pc() const { return pc_; } // of the next instruction
  [[noreturn]] void fault(Fault::Kind kind, int lane, const std::string& what) const;

  // The addresses of an instruction for the lanes of `mask`: s[0] + immediate, checked.
  void addresses(const Op& op, Mask mask, unsigned bytes,
                 std::uint64_t* found); // for a generic address
  void shared_addresses(const Op& op, Mask mask, unsigned bytes, std::uint64_t* found);
  void check(std::uint64_t address, std::uint64_t bytes, unsigned align, int lane);

  void branch(Mask taken, std::uint32_t target);
  void scatter(Mask lanes, const std::uint32_t* targets); // each lane jumps to its own target
  void exit(Mask lanes);
  void call(Mask lanes, const CallSite& site, std::int32_t routine);
  void leave(Mask lanes); // ret
  void retry(Mask lanes); // these lanes will execute this instruction later
  void yield() { fuel_ = 1; }
  Mask carry = 0; // the condition code of each lane

  // The lanes, of `arrived` and of those that wait here, that can execute the instruction now: all live lanes named by
  // the mask of the lane must have arrived. The other lanes wait.
  Mask assemble(Mask arrived, const std::uint32_t* masks);
  void warp_barrier(Mask arrived, const std::uint32_t* masks);
  // The lanes wait at a barrier of the block; on release, the reduction of their predicates is stored at `place`.
  enum class Found : std::uint8_t { nothing, count, all, any };
  void stop_at(Mask lanes, int barrier, std::int32_t place, Found found);
  void let_go(int barrier, std::uint32_t count, bool all, bool any);

private:
  static constexpr std::uint32_t kNobody = ~0u;
  Mask waiting() const { return at_barrier_ | at_vote_ | at_warp_barrier_; }
  bool select(Mask avoid = 0);
  void park();
  // The start of the frame of a routine that these lanes call, at `least` or above.
  std::uint32_t frame_of(Mask lanes, std::int32_t routine, std::uint32_t least) const;
  void fill(const Routine& routine, Mask lanes);

  Block& block_;
  const Code& code_;
  int index_;
  Mask all_ = 0; // lanes that exist in this warp
  Mask live_ = 0, active_ = 0;
  Mask at_barrier_ = 0, at_vote_ = 0, at_warp_barrier_ = 0, yielded_ = 0;
  std::uint32_t pc_ = 0, meet_ = ~0u; // meet_: the lowest pc at which other lanes wait for the active ones
  std::uint32_t base_ = 0, depth_ = 0;
  int fuel_ = 0;
  char* frame_ = nullptr;
  std::vector<char> registers_;
  char* aligned_ = nullptr;
  std::uint32_t lane_pc_[kLanes] = {}, lane_base_[kLanes] = {}, lane_depth_[kLanes] = {};
  std::int32_t lane_routine_[kLanes] = {};
  std::uint64_t stack_[kLanes] = {};
  std::uint32_t warp_masks_[kLanes] = {};
  struct Stopped {
    int barrier = -1;
    std::uint32_t place = 0; // offset over all frames
    Found found = Found::nothing;
  } stopped_[kLanes];
  std::vector<Return> returns_[kLanes];
  Range near_[2] = {};
};

// The bits of a lane as a T, and back: types of up to 32 bits take 32 bits, larger ones 64.
template <class T>
using Stored = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

template <class T>
inline T get(const Stored<T>* from, int lane) {
  T value;
  if constexpr (std::is_integral_v<T>)
    value = static_cast<T>(from[lane]);
  else
    std::memcpy(&value, &from[lane], sizeof(T));
  return value;
}

template <class T>
inline void put(Stored<T>* to, int lane, T value) {
  if constexpr (sizeof(T) == sizeof(Stored<T>))
    std::memcpy(&to[lane], &value, sizeof(T));
  else
    to[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value)); // sign-extends narrow types
}

// Calls act() for each lane of a mask; without a test if all 32 are set, so that the compiler can vectorise the loop.
template <class Do>
inline void each(Mask mask, Do&& act) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) act(lane);
  } else {
    for (; mask; mask &= mask - 1) act(__builtin_ctz(mask));
  }
}

} // namespace tasuki::remote::ptx

// 32 threads that step together where they can: those that stand deepest in calls, and of these those furthest behind, go
// first, so lanes that parted at a branch meet where its ways meet.
#pragma once

#include <remote/ptx/code.hpp>
#include <remote/ptx/memory.hpp>

#include <cstring>
#include <vector>

namespace tasuki::remote::ptx {

class Block;

struct Return {
  std::uint32_t pc, base, site; // site: the call's instruction
  std::int32_t routine;         // the caller
  std::uint64_t stack;
};

class Warp {
public:
  Warp(Block& block, const Code& code, int index);
  void begin(); // at the kernel's first instruction, in the block's present place

  // Steps until no lane can go on, or for so many instructions. Throws Fault.
  void run(int instructions);
  bool can_go() const { return (live_ & ~waiting()) != 0; }
  bool ended() const { return live_ == 0; }

  // What instructions use.
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

  // The addresses of lanes `mask` of an instruction: s[0] + immediate, checked.
  void addresses(const Op& op, Mask mask, unsigned bytes,
                 std::uint64_t* found); // of any space that is generic
  void shared_addresses(const Op& op, Mask mask, unsigned bytes, std::uint64_t* found);
  void check(std::uint64_t address, std::uint64_t bytes, unsigned align, int lane);

  void branch(Mask taken, std::uint32_t target);
  void scatter(Mask lanes, const std::uint32_t* targets); // each lane to its own
  void exit(Mask lanes);
  void call(Mask lanes, const CallSite& site, std::int32_t routine);
  void leave(Mask lanes); // ret
  void retry(Mask lanes); // they come to this instruction again later
  void yield() { fuel_ = 1; }
  Mask carry = 0; // the condition code of each lane

  // Lanes that may do the instruction now, of `arrived` and those that wait at it: all that the lane's mask names and that
  // live have to be there. The others wait.
  Mask assemble(Mask arrived, const std::uint32_t* masks);
  void warp_barrier(Mask arrived, const std::uint32_t* masks);
  // Lanes stop until the block's barrier lets them go; then what it found of their predicates goes to `place`.
  enum class Found : std::uint8_t { nothing, count, all, any };
  void stop_at(Mask lanes, int barrier, std::int32_t place, Found found);
  void let_go(int barrier, std::uint32_t count, bool all, bool any);

private:
  static constexpr std::uint32_t kNobody = ~0u;
  Mask waiting() const { return at_barrier_ | at_vote_ | at_warp_barrier_; }
  bool select(Mask avoid = 0);
  void park();
  // Where the registers of a routine that lanes call from here begin, at `least` or above.
  std::uint32_t frame_of(Mask lanes, std::int32_t routine, std::uint32_t least) const;
  void fill(const Routine& routine, Mask lanes);

  Block& block_;
  const Code& code_;
  int index_;
  Mask all_ = 0; // lanes that this warp has
  Mask live_ = 0, active_ = 0;
  Mask at_barrier_ = 0, at_vote_ = 0, at_warp_barrier_ = 0, yielded_ = 0;
  std::uint32_t pc_ = 0, meet_ = ~0u; // meet_: the least pc at which others wait for the active lanes
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
    std::uint32_t place = 0; // in all frames
    Found found = Found::nothing;
  } stopped_[kLanes];
  std::vector<Return> returns_[kLanes];
  Range near_[2] = {};
};

// What a lane's bits mean as a T, and back: types of up to 32 bits lie in 32, larger ones in 64.
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
    to[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value)); // keeps the sign of narrow types
}

// For each lane of a mask; all 32 without looking, so that the loop can be made of vectors.
template <class Do>
inline void each(Mask mask, Do&& act) {
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) act(lane);
  } else {
    for (; mask; mask &= mask - 1) act(__builtin_ctz(mask));
  }
}

} // namespace tasuki::remote::ptx

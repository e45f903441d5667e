#include <remote/ptx/warp.hpp>

#include <remote/ptx/block.hpp>

#include <algorithm>

namespace tasuki::remote::ptx {
namespace {

std::uint64_t special(const Block& block, int warp, int lane, Special which) {
  const Dimensions grid = block.launch().grid, threads = block.launch().block, place = block.place();
  const std::uint32_t thread = static_cast<std::uint32_t>(warp * kLanes + lane);
  switch (which) {
    case Special::tid_x: return thread % threads.x;
    case Special::tid_y: return thread / threads.x % threads.y;
    case Special::tid_z: return thread / threads.x / threads.y;
    case Special::ntid_x: return threads.x;
    case Special::ntid_y: return threads.y;
    case Special::ntid_z: return threads.z;
    case Special::ctaid_x: return place.x;
    case Special::ctaid_y: return place.y;
    case Special::ctaid_z: return place.z;
    case Special::nctaid_x: return grid.x;
    case Special::nctaid_y: return grid.y;
    case Special::nctaid_z: return grid.z;
    case Special::laneid: return static_cast<std::uint64_t>(lane);
    case Special::warpid: return static_cast<std::uint64_t>(warp);
    case Special::nwarpid: return (block.threads() + kLanes - 1) / kLanes;
    case Special::smid: return 0;
    case Special::nsmid: return 1;
    case Special::gridid: return block.launch().grid_id;
    case Special::lanemask_eq: return 1u << lane;
    case Special::lanemask_lt: return (1u << lane) - 1;
    case Special::lanemask_le: return (2ull << lane) - 1;
    case Special::lanemask_gt: return static_cast<std::uint32_t>(~((2ull << lane) - 1));
    case Special::lanemask_ge: return static_cast<std::uint32_t>(~((1u << lane) - 1));
    case Special::dynamic_shared: return block.launch().dynamic_shared;
    case Special::total_shared: return block.shared_bytes();
    case Special::workspace_high: return block.launch().workspace >> 32;
    case Special::workspace_low: return block.launch().workspace & 0xffffffffu;
    case Special::one: return 1;
    case Special::zero: return 0;
  }
  return 0;
}

} // namespace

Warp::Warp(Block& block, const Code& code, int index) : block_(block), code_(code), index_(index) {
  const int lanes = std::min(kLanes, static_cast<int>(block.threads()) - index * kLanes);
  all_ = lanes == kLanes ? kAllLanes : (Mask(1) << lanes) - 1;
  registers_.resize(code.routines[0].frame + 64);
  const auto raw = reinterpret_cast<std::uintptr_t>(registers_.data());
  aligned_ = registers_.data() + (64 - raw % 64) % 64;
  frame_ = aligned_;
  fill(code.routines[0], kAllLanes);
}

void Warp::begin() {
  frame_ = aligned_;
  for (const SpecialPlace& p : code_.routines[0].specials) { // the others are the same in every block
    if (p.which < Special::ctaid_x || p.which > Special::ctaid_z) continue;
    const auto value = static_cast<std::uint32_t>(special(block_, index_, 0, p.which));
    if (p.wide)
      std::fill_n(at<std::uint64_t>(p.place), kLanes, value);
    else
      std::fill_n(at<std::uint32_t>(p.place), kLanes, value);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    lane_pc_[lane] = code_.routines[0].first;
    lane_base_[lane] = lane_depth_[lane] = 0;
    lane_routine_[lane] = 0;
    stack_[lane] = block_.stack(index_ * kLanes + lane);
    returns_[lane].clear();
    stopped_[lane] = {};
  }
  live_ = all_;
  active_ = at_barrier_ = at_vote_ = at_warp_barrier_ = yielded_ = 0;
}

void Warp::fill(const Routine& routine, Mask lanes) {
  for (const Constant& c : routine.constants) // for all lanes: a predicate is the word of lane 0
    if (c.wide)
      std::fill_n(at<std::uint64_t>(c.place), kLanes, c.bits);
    else
      std::fill_n(at<std::uint32_t>(c.place), kLanes, static_cast<std::uint32_t>(c.bits));
  for (const SpecialPlace& p : routine.specials)
    each(lanes, [&](int lane) {
      const std::uint64_t value = special(block_, index_, lane, p.which);
      if (p.wide)
        at<std::uint64_t>(p.place)[lane] = value;
      else
        at<std::uint32_t>(p.place)[lane] = static_cast<std::uint32_t>(value);
    });
}

void Warp::fault(Fault::Kind kind, int lane, const std::string& what) const {
  const Dimensions place = block_.place(), threads = block_.launch().block;
  const std::uint32_t thread = static_cast<std::uint32_t>(index_ * kLanes + lane);
  const std::uint32_t line = pc_ > 0 ? code_.ops[pc_ - 1].line : 0;
  throw Fault(kind, what + " in kernel " + code_.name + ", block (" + std::to_string(place.x) + "," +
                        std::to_string(place.y) + "," + std::to_string(place.z) + "), thread (" +
                        std::to_string(thread % threads.x) + "," +
                        std::to_string(thread / threads.x % threads.y) + "," +
                        std::to_string(thread / threads.x / threads.y) + "), line " + std::to_string(line) +
                        " of its PTX");
}

void Warp::park() {
  for (Mask m = active_; m; m &= m - 1) lane_pc_[__builtin_ctz(m)] = pc_;
  active_ = 0;
}

bool Warp::select(Mask avoid) {
  const Mask ready = live_ & ~waiting();
  if (!ready) return false;
  const Mask from = ready & ~avoid ? ready & ~avoid : ready;
  int best = __builtin_ctz(from);
  for (Mask m = from & (from - 1); m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (lane_depth_[lane] > lane_depth_[best] ||
        (lane_depth_[lane] == lane_depth_[best] && lane_pc_[lane] < lane_pc_[best]))
      best = lane;
  }
  pc_ = lane_pc_[best];
  base_ = lane_base_[best];
  depth_ = lane_depth_[best];
  frame_ = aligned_ + base_;
  active_ = 0;
  meet_ = kNobody;
  for (Mask m = ready; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (lane_depth_[lane] != depth_ || lane_base_[lane] != base_) continue;
    if (lane_pc_[lane] == pc_)
      active_ |= Mask(1) << lane;
    else if (lane_pc_[lane] > pc_)
      meet_ = std::min(meet_, lane_pc_[lane]);
  }
  return true;
}

void Warp::run(int instructions) {
  fuel_ = instructions;
  if (!select(yielded_)) return;
  yielded_ = 0;
  const Op* const ops = code_.ops.data();
  for (;;) {
    if (pc_ >= meet_) {
      park();
      if (!select()) return;
    }
    const Op& op = ops[pc_++];
    Mask mask = active_;
    if (op.guard >= 0) {
      const Mask p = predicate(op.guard);
      mask &= op.guard_negated ? ~p : p;
    }
    if (mask) {
      op.run(*this, op, mask);
      if (!active_ && !select()) return;
    }
    if (--fuel_ <= 0) {
      yielded_ = active_;
      park();
      return;
    }
  }
}

void Warp::addresses(const Op& op, Mask mask, unsigned bytes, std::uint64_t* found) {
  const std::uint64_t offset = static_cast<std::uint64_t>(op.immediate);
  if (op.s[0] < 0)
    each(mask, [&](int lane) { found[lane] = offset; });
  else if (op.wide_address)
    each(mask, [&, from = at<std::uint64_t>(op.s[0])](int lane) { found[lane] = from[lane] + offset; });
  else
    each(mask, [&, from = at<std::uint32_t>(op.s[0])](int lane) { found[lane] = from[lane] + offset; });
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const std::uint64_t a = found[lane];
    if (a - near_[0].from >= near_[0].to - near_[0].from || near_[0].to - a < bytes || (a & (bytes - 1)))
      check(a, bytes, bytes, lane);
  }
}

void Warp::check(std::uint64_t address, std::uint64_t bytes, unsigned align, int lane) {
  if (address & (align - 1))
    fault(Fault::Kind::misaligned, lane, "an address is not aligned to " + std::to_string(align) + " bytes");
  if (address >= near_[0].from && address < near_[0].to && near_[0].to - address >= bytes) return;
  std::swap(near_[0], near_[1]);
  if (address >= near_[0].from && address < near_[0].to && near_[0].to - address >= bytes) return;
  const Range range = block_.range_around(address);
  if (address < range.from || address >= range.to || range.to - address < bytes) {
    char text[40];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    fault(Fault::Kind::address, lane, "address " + std::string(text) + " is of no memory");
  }
  near_[0] = range;
}

void Warp::shared_addresses(const Op& op, Mask mask, unsigned bytes, std::uint64_t* found) {
  const std::uint64_t offset = static_cast<std::uint64_t>(op.immediate), base = block_.shared(),
                      size = block_.shared_bytes();
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    std::uint64_t a = offset;
    if (op.s[0] >= 0)
      a += op.wide_address ? at<std::uint64_t>(op.s[0])[lane] : at<std::uint32_t>(op.s[0])[lane];
    a &= 0xffffffffu;
    if (a & (bytes - 1)) fault(Fault::Kind::misaligned, lane, "an address of shared memory is not aligned");
    if (a + bytes > size)
      fault(Fault::Kind::address, lane,
            "byte " + std::to_string(a) + " of " + std::to_string(size) + " of shared memory");
    found[lane] = base + a;
  }
}

void Warp::branch(Mask taken, std::uint32_t target) {
  if (taken == active_) {
    pc_ = target;
    return;
  }
  const Mask rest = active_ & ~taken;
  const bool back = target < pc_;
  const Mask later = back ? rest : taken;
  const std::uint32_t at = back ? pc_ : target;
  for (Mask m = later; m; m &= m - 1) lane_pc_[__builtin_ctz(m)] = at;
  active_ &= ~later;
  meet_ = std::min(meet_, at);
  if (back) pc_ = target;
}

void Warp::scatter(Mask lanes, const std::uint32_t* targets) {
  park();
  for (Mask m = lanes; m; m &= m - 1) lane_pc_[__builtin_ctz(m)] = targets[__builtin_ctz(m)];
  select();
}

void Warp::exit(Mask lanes) {
  live_ &= ~lanes;
  active_ &= ~lanes;
  at_vote_ = 0; // the waiting lanes test again
  if (at_warp_barrier_) {
    const Mask asked = at_warp_barrier_;
    Mask free = 0;
    for (Mask m = asked; m; m &= m - 1)
      if (!(warp_masks_[__builtin_ctz(m)] & live_ & ~asked)) free |= m & -m;
    at_warp_barrier_ &= ~free;
  }
  meet_ = 0;
  block_.left(static_cast<std::uint32_t>(__builtin_popcount(lanes)));
}

void Warp::retry(Mask lanes) {
  for (Mask m = lanes; m; m &= m - 1) lane_pc_[__builtin_ctz(m)] = pc_ - 1;
  active_ &= ~lanes;
}

Mask Warp::assemble(Mask arrived, const std::uint32_t* masks) {
  if ((live_ & ~arrived) == 0) return arrived;
  const std::uint32_t here = pc_ - 1;
  Mask joined = arrived;
  for (Mask m = at_vote_; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (lane_pc_[lane] == here && lane_base_[lane] == base_ && lane_depth_[lane] == depth_) joined |= m & -m;
  }
  Mask go = 0;
  for (Mask m = joined; m; m &= m - 1)
    if (!(masks[__builtin_ctz(m)] & live_ & ~joined)) go |= m & -m;
  const Mask stay = joined & ~go;
  for (Mask m = stay; m; m &= m - 1) lane_pc_[__builtin_ctz(m)] = here;
  at_vote_ = (at_vote_ & ~go) | stay;
  active_ = (active_ & ~stay) | go;
  return go;
}

void Warp::warp_barrier(Mask arrived, const std::uint32_t* masks) {
  if ((live_ & ~arrived) == 0) return;
  for (Mask m = arrived; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    lane_pc_[lane] = pc_;
    warp_masks_[lane] = masks[lane];
  }
  active_ &= ~arrived;
  const Mask come = at_warp_barrier_ | arrived;
  Mask free = 0;
  for (Mask m = come; m; m &= m - 1)
    if (!(warp_masks_[__builtin_ctz(m)] & live_ & ~come)) free |= m & -m;
  at_warp_barrier_ = come & ~free;
  meet_ = 0; // released lanes are searched for again
  if (active_) park();
}

void Warp::stop_at(Mask lanes, int barrier, std::int32_t place, Found found) {
  for (Mask m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    lane_pc_[lane] = pc_;
    stopped_[lane] = {barrier, base_ + static_cast<std::uint32_t>(place < 0 ? 0 : place), found};
  }
  at_barrier_ |= lanes;
  active_ &= ~lanes;
}

void Warp::let_go(int barrier, std::uint32_t count, bool all, bool any) {
  for (Mask m = at_barrier_; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const Mask bit = Mask(1) << lane;
    const Stopped& s = stopped_[lane];
    if (s.barrier != barrier) continue;
    at_barrier_ &= ~bit;
    meet_ = 0;
    if (s.found == Found::count) {
      reinterpret_cast<std::uint32_t*>(aligned_ + s.place)[lane] = count;
    } else if (s.found != Found::nothing) {
      Mask& p = *reinterpret_cast<Mask*>(aligned_ + s.place);
      p = (s.found == Found::all ? all : any) ? p | bit : p & ~bit;
    }
  }
}

} // namespace tasuki::remote::ptx

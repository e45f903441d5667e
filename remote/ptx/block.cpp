#include <remote/ptx/block.hpp>

namespace tasuki::remote::ptx {
namespace {

constexpr int kSlice = 4000; // instructions of a warp before another warp runs

} // namespace

Block::Block(const Code& code, const Launching& launch)
    : code_(code), launch_(launch), threads_(static_cast<std::uint32_t>(launch.block.count())) {
  shared_bytes_ = code.static_shared + launch.dynamic_shared;
  shared_.resize(shared_bytes_ + 256);
  stacks_.resize(std::size_t(code.stack) * threads_ + 64);
  const auto raw = reinterpret_cast<std::uint64_t>(stacks_.data());
  stack_base_ = raw + (64 - raw % 64) % 64;
  const int warps = static_cast<int>((threads_ + kLanes - 1) / kLanes);
  warps_.reserve(static_cast<std::size_t>(warps));
  for (int w = 0; w < warps; ++w) warps_.emplace_back(*this, code, w);
}

std::uint64_t Block::shared() const {
  const auto raw = reinterpret_cast<std::uint64_t>(shared_.data());
  return raw + (128 - raw % 128) % 128;
}

void Block::begin(std::uint64_t index) {
  place_.x = static_cast<std::uint32_t>(index % launch_.grid.x);
  place_.y = static_cast<std::uint32_t>(index / launch_.grid.x % launch_.grid.y);
  place_.z = static_cast<std::uint32_t>(index / launch_.grid.x / launch_.grid.y);
  live_ = threads_;
  std::fill(shared_.begin(), shared_.end(), 0);
  for (Barrier& b : barriers_) b = {};
  if (launch_.checked) races_.begin(shared_bytes_);
  for (Warp& warp : warps_) warp.begin();
}

bool Block::run(int turns) {
  for (; turns > 0; --turns) {
    bool any = false;
    for (Warp& warp : warps_)
      if (warp.can_go()) {
        any = true;
        warp.run(kSlice);
      }
    if (live_ == 0) return true;
    if (!any)
      for (const Warp& warp : warps_)
        if (!warp.ended())
          warp.fault(Fault::Kind::stuck, __builtin_ctz(warp.live()),
                     "threads wait for others that never come to their barrier");
  }
  return false;
}

Range Block::range_around(std::uint64_t address) const {
  const std::uint64_t from = shared();
  if (address >= from && address - from < shared_bytes_) return {from, from + shared_bytes_};
  const std::uint64_t stacks = std::uint64_t(code_.stack) * threads_;
  if (address >= stack_base_ && address - stack_base_ < stacks) return {stack_base_, stack_base_ + stacks};
  const std::uint64_t block = parameters();
  if (address >= block && address - block < launch_.parameters.size())
    return {block, block + launch_.parameters.size()};
  return launch_.memory->around(address);
}

void Block::open(int id) {
  const Barrier b = barriers_[id];
  barriers_[id] = {};
  races_.barrier();
  for (Warp& warp : warps_) warp.let_go(id, b.count, b.all, b.any);
}

void Block::come(const Coming& coming, std::uint32_t lanes) {
  Barrier& b = barriers_[coming.id];
  b.come += lanes;
  b.expected = coming.threads;
  b.count += coming.count;
  b.all = b.all && coming.all;
  b.any = b.any || coming.any;
  if (b.come >= (b.expected ? b.expected : live_)) open(coming.id);
}

void Block::left(std::uint32_t lanes) {
  live_ -= lanes;
  for (int id = 0; id < 16; ++id)
    if (barriers_[id].come > 0 && barriers_[id].expected == 0 && barriers_[id].come >= live_) open(id);
}

} // namespace tasuki::remote::ptx

#include <remote/client/arena.hpp>

#include <algorithm>

namespace tasuki::remote {

namespace {
std::uint64_t rounded(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }
} // namespace

Arena::Arena(std::uint64_t base, std::uint64_t bytes, Worker worker)
    : base_(base), bytes_(bytes), worker_(std::move(worker)) {}

std::uint64_t Arena::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > bytes_) return 0;
  const std::uint64_t size = rounded(bytes, alignment);
  std::uint64_t address = take(size);
  if (!address && grow(size)) address = take(size);
  if (!address && !resting_.empty()) { // what rests may be all that is missing
    worker_.settle();
    settled();
    address = take(size);
  }
  if (!address && give_back() && grow(size)) address = take(size);
  if (!address) return 0;
  live_[address] = size;
  used_ += size;
  return address;
}

bool Arena::release(std::uint64_t address, bool busy) {
  const auto at = live_.find(address);
  if (at == live_.end()) return false;
  used_ -= at->second;
  insert(busy ? resting_ : free_, at->first, at->second);
  live_.erase(at);
  return true;
}

void Arena::settled() {
  for (const auto& [address, bytes] : resting_) insert(free_, address, bytes);
  resting_.clear();
}

std::optional<Arena::Range> Arena::find(std::uint64_t address) const {
  auto at = live_.upper_bound(address);
  if (at == live_.begin()) return std::nullopt;
  --at;
  if (address >= at->first + at->second) return std::nullopt;
  return Range{at->first, at->second};
}

// First fit: low addresses are used again, so units at the end become wholly free.
std::uint64_t Arena::take(std::uint64_t bytes) {
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < bytes) continue;
    const std::uint64_t address = at->first, left = at->second - bytes;
    free_.erase(at);
    if (left) free_[address + bytes] = left;
    return address;
  }
  return 0;
}

// Maps behind the highest unit, or in the lowest gap where units were given back.
bool Arena::grow(std::uint64_t bytes) {
  for (const std::uint64_t size : {std::max(rounded(bytes, granule), unit), rounded(bytes, granule)}) {
    std::uint64_t address = base_;
    for (const auto& [begin, length] : units_) {
      if (begin - address >= size) break;
      address = begin + length;
    }
    if (address + size > base_ + bytes_ || !worker_.map(address, size)) continue;
    units_[address] = size;
    mapped_ += size;
    insert(free_, address, size);
    return true;
  }
  return false;
}

// Unmaps the units that are wholly free. They can be mapped again in other sizes.
bool Arena::give_back() {
  bool some = false;
  for (auto at = units_.begin(); at != units_.end();) {
    const auto [address, bytes] = *at;
    auto free = free_.upper_bound(address);
    if (free == free_.begin() || (--free, free->first + free->second < address + bytes)) {
      ++at;
      continue;
    }
    const auto [begin, length] = *free;
    free_.erase(free);
    if (begin < address) free_[begin] = address - begin;
    if (begin + length > address + bytes) free_[address + bytes] = begin + length - address - bytes;
    worker_.unmap(address, bytes);
    mapped_ -= bytes;
    at = units_.erase(at);
    some = true;
  }
  return some;
}

// Adds a range and joins it with its neighbours.
void Arena::insert(Ranges& ranges, std::uint64_t address, std::uint64_t bytes) {
  auto next = ranges.lower_bound(address);
  if (next != ranges.end() && next->first == address + bytes) {
    bytes += next->second;
    next = ranges.erase(next);
  }
  if (next != ranges.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  }
  ranges[address] = bytes;
}

} // namespace tasuki::remote

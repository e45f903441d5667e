#include <tasuki/run/look_log.hpp>

#include <algorithm>
#include <utility>

namespace tasuki {
namespace {

constexpr long kMost = 2048, kMostBytes = 4 << 20; // some 10 ms of steps

EngineCopies copy_of(Device& device, const Buffer& from, const Buffer& to) {
  CopyPair pair;
  pair.from.base = from.data();
  pair.to.base = to.data();
  pair.from.run = pair.to.run = static_cast<long>(from.bytes());
  return {device, {pair}};
}

} // namespace

LookLog::LookLog(Device& device, std::shared_ptr<detail::ReductionCore> reduction, int tiles)
    : device_(device),
      reduction_(std::move(reduction)),
      entries_(reduction_->exact() ? 1 : tiles),
      most_(std::clamp(kMostBytes / look_bytes(), 1L, kMost)),
      log_(device, static_cast<std::size_t>(most_ * look_bytes())),
      zeros_(device, log_.bytes()),
      host_(device, log_.bytes(), Memory::pinned),
      clear_(copy_of(device, zeros_, log_)),
      take_(copy_of(device, log_, host_)) {}

void LookLog::tell(TiledLaunch& launch) const {
  clear_.enqueue(device_.get().stream());
  launch.log = log_.data();
  launch.log_bytes = static_cast<int>(reduction_->part_bytes());
}

void LookLog::take() const { take_.enqueue(device_.get().stream()); }

std::vector<std::vector<char>> LookLog::parts(long looks) const {
  const long bytes = reduction_->part_bytes();
  std::vector<std::vector<char>> parts;
  for (long k = 0; k < looks; ++k) {
    char* const entry = host_.data() + k * look_bytes();
    std::vector<char>& part = parts.emplace_back(entry, entry + bytes);
    int one = 1;
    for (long tile = 1; tile < entries_; ++tile)
      reduction_->merge()(entry + tile * bytes, part.data(), &one, nullptr);
  }
  return parts;
}

} // namespace tasuki

#include <tasuki/transfer/lending.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/errand.hpp>

#include <algorithm>

namespace tasuki {

std::uint64_t Lending::number(const Ranks& ranks) {
  const std::uint64_t number = reduce_max(ranks, next_);
  next_ = number + 1;
  return number;
}

Post& Lending::post(const Ranks& ranks) {
  const auto found = std::find_if(posts_.begin(), posts_.end(),
                                  [&](const auto& post) { return post->ranks().comm() == ranks.comm(); });
  if (found != posts_.end()) return **found;
  const auto serve = [this](const char* request, std::size_t size) { return answer(loans_, request, size); };
  return *posts_.emplace_back(std::make_unique<Post>(ranks, kRequestHead + kMost, serve));
}

} // namespace tasuki

#include <tasuki/space/locks.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <string>

namespace tasuki::space {

bool Locks::take(std::uint64_t lock, std::uint64_t ticket) {
  const std::lock_guard guard(mutex_);
  auto& line = waiting_[lock];
  if (std::find(line.begin(), line.end(), ticket) == line.end()) line.push_back(ticket);
  return line.front() == ticket;
}

std::optional<std::uint64_t> Locks::release(std::uint64_t lock, std::uint64_t ticket, int node,
                                            const std::vector<std::uint64_t>& pages) {
  const std::lock_guard guard(mutex_);
  const auto found = waiting_.find(lock);
  if (found == waiting_.end() || found->second.empty() || found->second.front() != ticket)
    throw Error("lock " + std::to_string(lock) + " is let go by a thread that has it not",
                "call sms_unlock after sms_lock, from the same thread");
  for (const std::uint64_t page : pages) log_.push_back({page, node});
  found->second.pop_front();
  if (!found->second.empty()) return found->second.front();
  waiting_.erase(found);
  return std::nullopt;
}

std::vector<std::uint64_t> Locks::since(std::uint64_t position, std::uint64_t most, int node) const {
  std::vector<std::uint64_t> pages;
  const std::lock_guard guard(mutex_);
  for (std::size_t k = position; k < std::min<std::uint64_t>(log_.size(), position + most); ++k)
    if (log_[k].node != node) pages.push_back(log_[k].page);
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  return pages;
}

std::uint64_t Locks::end() const {
  const std::lock_guard guard(mutex_);
  return log_.size();
}

void Locks::forget() {
  const std::lock_guard guard(mutex_);
  log_.clear();
}

} // namespace tasuki::space

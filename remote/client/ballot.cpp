#include <remote/client/ballot.hpp>

#include <algorithm>

namespace tasuki::remote {

void Ballot::add(Vote vote) {
  const auto behind =
      std::find_if(votes_.begin(), votes_.end(), [&vote](const Vote& v) { return v.voter > vote.voter; });
  votes_.insert(behind, std::move(vote));
}

bool Ballot::same(const Vote& a, const Vote& b) const {
  if (a.error != b.error) return false;
  return a.value == b.value || (tolerance_ && of_bytes() && a.whole && b.whole && !a.error &&
                                tolerance_->beyond(a.message.body, b.message.body) == 0);
}

// What an answer lets the program do, where replicas may differ in it.
u64 Ballot::promised(const Vote& vote) const {
  const auto& body = vote.message.body;
  if (call_ == Call::Describe) return message_of<answer::Description>(body).free;
  if (call_ == Call::MemoryInfo) return message_of<answer::Memory>(body).free;
  if (call_ == Call::FindKernel) return message_of<answer::Kernel>(body).max_threads;
  if (call_ == Call::Occupancy) return message_of<answer::Number>(body).value;
  return 0;
}

bool Ballot::has(int voter) const {
  return std::any_of(votes_.begin(), votes_.end(), [voter](const Vote& v) { return v.voter == voter; });
}

Ballot::Vote* Ballot::of(int voter) {
  const auto at =
      std::find_if(votes_.begin(), votes_.end(), [voter](const Vote& v) { return v.voter == voter; });
  return at == votes_.end() ? nullptr : &*at;
}

bool Ballot::agreed() const {
  return std::all_of(votes_.begin(), votes_.end(), [this](const Vote& v) { return same(v, votes_[0]); });
}

bool Ballot::may_differ() const {
  return call_ == Call::Describe || call_ == Call::MemoryInfo || call_ == Call::QueryStream ||
         call_ == Call::QueryEvent || call_ == Call::Elapsed ||
         (tolerance_ && (call_ == Call::FindKernel || call_ == Call::Occupancy)); // of other models
}

// An error, else the one that promises least.
const Ballot::Vote* Ballot::least() const {
  for (const Vote& v : votes_)
    if (v.error) return &v;
  return &*std::min_element(votes_.begin(), votes_.end(),
                            [this](const Vote& a, const Vote& b) { return promised(a) < promised(b); });
}

Ballot::Verdict Ballot::verdict() const {
  Verdict verdict;
  if (votes_.empty()) return verdict;
  if (may_differ()) {
    verdict.right = least();
    return verdict;
  }
  std::size_t most = 0;
  bool shared = false; // by two groups
  for (const Vote& v : votes_) {
    const auto count = static_cast<std::size_t>(
        std::count_if(votes_.begin(), votes_.end(), [&](const Vote& other) { return same(v, other); }));
    if (count > most) {
      most = count;
      shared = false;
      verdict.right = &v;
    } else if (count == most && !same(v, *verdict.right)) {
      shared = true;
    } else if (same(v, *verdict.right) && v.whole && !verdict.right->whole) {
      verdict.right = &v;
    }
  }
  if (shared || most < (of_bytes() ? 2u : 1u)) return {};
  for (const Vote& v : votes_)
    if (!same(v, *verdict.right)) verdict.wrong.push_back(v.voter);
  return verdict;
}

} // namespace tasuki::remote

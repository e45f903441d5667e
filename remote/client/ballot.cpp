#include <remote/client/ballot.hpp>

#include <algorithm>

namespace tasuki::remote {

namespace {

bool same(const Ballot::Vote& a, const Ballot::Vote& b) { return a.error == b.error && a.value == b.value; }

u64 free_of(Call call, const Message& message) {
  return call == Call::Describe ? message_of<answer::Description>(message.body).free
                                : message_of<answer::Memory>(message.body).free;
}

} // namespace

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
         call_ == Call::QueryEvent || call_ == Call::Elapsed;
}

// An error, else of memory the one that has least.
const Ballot::Vote* Ballot::least() const {
  for (const Vote& v : votes_)
    if (v.error) return &v;
  if (call_ != Call::Describe && call_ != Call::MemoryInfo) return &votes_[0];
  return &*std::min_element(votes_.begin(), votes_.end(), [this](const Vote& a, const Vote& b) {
    return free_of(call_, a.message) < free_of(call_, b.message);
  });
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

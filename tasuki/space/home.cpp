#include <tasuki/space/home.hpp>

#include <tasuki/space/diff.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tasuki::space {
namespace {

// Bytes of pages that are sent from a reply: to map a page for MPI costs more than to copy it.
constexpr std::size_t kCopied = std::size_t{16} << 10;

} // namespace

// A run that nobody has a copy of: what is kept is what is sent, and from where it is kept. Whoever changes a twin before it
// has been sent marks the page as changed, and the copy ends at the next synchronisation. Null: somebody has a page of it.
const char* Home::fetch_fresh(int node, bool hold, const PageRun& run) {
  for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
    if (sent_.contains(page)) return nullptr;
  range_.write_twins(run.first, range_.page(run.first), run.count * range_.page_bytes());
  for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
    sent_[page] = {.nodes = bit(node), .held = hold ? bit(node) : 0};
  return range_.twin(run.first);
}

const char* Home::fetch(int node, bool hold, const std::vector<PageRun>& runs, std::vector<char>& reply) {
  const std::lock_guard lock(mutex_);
  if (runs.size() == 1 && runs[0].count * range_.page_bytes() > kCopied)
    if (const char* const kept = fetch_fresh(node, hold, runs[0])) return kept;
  const std::size_t bytes = range_.page_bytes();
  std::size_t all = 0;
  for (const PageRun& run : runs) all += run.count * bytes;
  reply.resize(all);
  char* to = reply.data();
  for (const PageRun& run : runs) {
    // The ranks here may write meanwhile: what is compared and kept is what is sent.
    range_.read(run.first, to, run.count * bytes);
    std::uint64_t fresh = 0; // pages before this one whose twin is to be taken
    const auto take_twins = [&](std::uint64_t end) {
      range_.write_twins(end - fresh, to - fresh * bytes, fresh * bytes);
      fresh = 0;
    };
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page, to += bytes) {
      const auto [place, first] = sent_.try_emplace(page);
      Sent& sent = place->second;
      if (!first) {
        take_twins(page);
        if (!sent.changed) sent.changed = std::memcmp(range_.twin(page), to, bytes) != 0;
      }
      fresh += first;
      sent.nodes |= bit(node);
      if (hold) sent.held |= bit(node);
    }
    take_twins(run.first + run.count);
  }
  return reply.data();
}

void Home::hold(int node, const std::vector<PageRun>& runs) {
  const std::lock_guard lock(mutex_);
  for (const PageRun& run : runs)
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
      if (const auto found = sent_.find(page); found != sent_.end()) found->second.held |= bit(node);
}

void Home::keep(int node, const char* patches, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::vector<char> rest; // that others may have written as well
  Patches all(patches, bytes, range_.page_bytes());
  while (const auto patch = all.next()) {
    char* const now = range_.page(patch->page);
    char* const twin = range_.twin(patch->page);
    const auto found = sent_.find(patch->page);
    const bool alone = found != sent_.end() && found->second.nodes == bit(node) && nodes_ <= kBits;
    if (alone && std::memcmp(now, twin, range_.page_bytes()) == 0) {
      apply(*patch, now);
      apply(*patch, twin);
      found->second.settled = true;
    } else {
      rest.insert(rest.end(), patch->begin, patch->end);
    }
  }
  if (!rest.empty()) kept_.push_back({node, std::move(rest)});
}

void Home::settle(const char* patches, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Patches all(patches, bytes, range_.page_bytes());
  while (const auto patch = all.next()) {
    apply(*patch, range_.page(patch->page));
    const auto found = sent_.find(patch->page);
    if (found == sent_.end()) continue;
    apply(*patch, range_.twin(patch->page)); // it is no write of this node's
    found->second.changed = true;
  }
}

std::vector<std::uint64_t> Home::changes(std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> changed;
  for (auto& [page, sent] : sent_) {
    if (changed.size() == most) break;
    if (std::memcmp(range_.page(page), range_.twin(page), range_.page_bytes()) == 0) continue;
    std::memcpy(range_.twin(page), range_.page(page), range_.page_bytes());
    sent.changed = true;
    changed.push_back(page);
  }
  return changed;
}

std::optional<Home::Clash> Home::reconcile(const Tell& tell) {
  std::unique_lock lock(mutex_);
  const std::size_t bytes = range_.page_bytes();
  std::optional<Clash> clash;

  std::vector<Kept> all_kept = std::exchange(kept_, {});
  std::stable_sort(all_kept.begin(), all_kept.end(),
                   [](const Kept& a, const Kept& b) { return a.node < b.node; });
  struct Written {
    int node;
    Patch patch;
  };
  std::unordered_map<std::uint64_t, std::vector<Written>> written; // by page, by node ascending
  for (const Kept& kept : all_kept) {
    Patches all(kept.patches.data(), kept.patches.size(), bytes);
    while (auto patch = all.next()) {
      const std::uint64_t page = patch->page;
      if (sent_.try_emplace(page).second) std::memcpy(range_.twin(page), range_.page(page), bytes);
      written[page].push_back({kept.node, std::move(*patch)});
    }
  }

  std::vector<char> own(bytes), patch;
  std::vector<int> writer(bytes);
  std::vector<std::pair<int, bool>> told; // a node, and whether it holds the page
  std::vector<decltype(sent_)::value_type*> places;
  places.reserve(sent_.size());
  for (auto& place : sent_) places.push_back(&place);
  // Neighbours in memory come one behind the other, for this node and for those that are told.
  std::sort(places.begin(), places.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  for (auto* const place : places) {
    const std::uint64_t page = place->first;
    Sent& sent = place->second;
    char* const now = range_.page(page);
    char* const twin = range_.twin(page);
    const auto others = written.find(page);
    const bool by_others = others != written.end();
    const bool by_own = !std::exchange(sent.settled, false) && std::memcmp(now, twin, bytes) != 0;
    if (!sent.changed && !by_own && !by_others) continue;
    if (by_others && !by_own && others->second.size() == 1) { // nobody to clash with
      apply(others->second[0].patch, now);
    } else if (by_others) {
      std::vector<Written>& all = others->second;
      Patch mine;
      if (by_own) { // at its place among the nodes
        std::memcpy(own.data(), now, bytes);
        mine.page = page;
        mine.runs = differing(now, twin, bytes);
      }
      std::fill(writer.begin(), writer.end(), -1);
      const auto write = [&](int node, const Patch& from, const char* source, bool packed) {
        for (const Run& run : runs_of(from)) {
          for (std::uint32_t k = run.at; k < run.at + run.count; ++k) {
            const char value = packed ? *source++ : source[k];
            if (writer[k] >= 0 && now[k] != value && (!clash || page < clash->page))
              clash = Clash{page, k, {writer[k], node}};
            now[k] = value;
            writer[k] = node;
          }
        }
      };
      bool own_done = !by_own;
      const auto own_turn = [&](int before) {
        if (own_done || node_ > before) return;
        write(node_, mine, own.data(), false);
        own_done = true;
      };
      for (const Written& one : all) {
        own_turn(one.node);
        write(one.node, one.patch, one.patch.bytes, true);
      }
      own_turn(nodes_);
    }
    patch.clear();
    told.clear();
    std::uint64_t dropped = 0;
    for (int node = 0; node < nodes_; ++node) {
      if (node == node_ || !(sent.nodes & bit(node))) continue;
      bool stale = sent.changed || by_own || nodes_ > kBits; // then a bit is that of several
      if (!stale && by_others)
        for (const Written& one : others->second) stale = stale || one.node != node;
      if (!stale) continue;
      const bool held = sent.held & bit(node);
      if (held && patch.empty() && (sent.changed || !append_update(patch, page, now, twin, bytes)))
        append_whole(patch, page, now, bytes);
      if (!held) dropped |= bit(node);
      told.emplace_back(node, held);
    }
    sent.nodes &= ~dropped;
    sent.changed = false;
    std::memcpy(twin, now, bytes);
    if (!sent.nodes && !sent.watched) sent_.erase(page);
    if (told.empty()) continue;
    // Telling waits for other ranks, and they may wait for this one to answer.
    lock.unlock();
    for (const auto& [node, held] : told) tell(node, page, held ? &patch : nullptr);
    lock.lock();
  }
  return clash;
}

bool Home::holders() const {
  const std::lock_guard lock(mutex_);
  return !sent_.empty();
}

void Home::watch(std::uint64_t page, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t k = page; k < page + count; ++k) sent_[k].watched = true;
}

void Home::unwatch(std::uint64_t page, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t k = page; k < page + count; ++k) sent_.erase(k);
}

void Home::forget_holders() {
  const std::lock_guard lock(mutex_);
  std::erase_if(sent_, [](const auto& place) { return !place.second.watched; });
  for (auto& [page, sent] : sent_) sent.nodes = sent.held = 0;
}

} // namespace tasuki::space

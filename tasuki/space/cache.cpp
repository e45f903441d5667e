#include <tasuki/space/cache.hpp>

#include <tasuki/base/error.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <thread>
#include <utility>

namespace tasuki::space {
namespace {

constexpr std::uint64_t kLeastRoom =
    256; // pages: fewer would drop each other before anybody has touched them
constexpr std::uint64_t kTwinsAtOnce = 64; // pages that are busy together while their twins are taken

// Calls act() for each run of neighbours among these pages, which are ascending.
template <class Act>
void by_runs(const std::vector<std::uint64_t>& pages, const Act& act) {
  for (std::size_t k = 0; k < pages.size();) {
    std::size_t end = k + 1;
    while (end < pages.size() && pages[end] == pages[end - 1] + 1) ++end;
    act(PageRun{pages[k], end - k});
    k = end;
  }
}

} // namespace

Cache::Cache(const Range& range, Pages& pages, Arrays& arrays, Faults& faults, Supply& supply,
             std::uint64_t limit)
    : range_(range),
      pages_(pages),
      arrays_(arrays),
      faults_(faults),
      supply_(supply),
      limit_(limit ? std::max(kLeastRoom, limit / range.page_bytes()) : 0),
      view_(static_cast<std::uint8_t*>(mmap(nullptr, range.pages(), PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
  if (view_ == MAP_FAILED)
    throw Error("the notes about a range cannot be mapped", "give a smaller --space-size");
}

Cache::~Cache() { munmap(view_, range_.pages()); }

template <class Act>
void Cache::of_others(const PageRun& run, const Act& act) const {
  for (std::uint64_t page = run.first, end = run.first + run.count; page < end;) {
    const Array* const array = arrays_.find(page);
    const std::uint64_t next = std::min(end, array->same_home_until(page));
    const int home = array->home(page);
    if (!supply_.ours(home)) act(PageRun{page, next - page}, home);
    page = next;
  }
}

// Takes what is absent, in runs of one home.
void Cache::collect(const PageRun& run, std::vector<PageRun>& fetch, std::vector<std::uint64_t>& others) {
  int before = -1; // the home of the last one
  of_others(run, [&](const PageRun& part, int home) {
    for (std::uint64_t page = part.first; page < part.first + part.count; ++page) {
      if (pages_.move(page, Page::absent, Page::busy)) {
        if (!fetch.empty() && before == home && fetch.back().first + fetch.back().count == page)
          ++fetch.back().count;
        else
          fetch.push_back({page, 1});
        before = home;
      } else if (pages_.state(page) == Page::busy) {
        others.push_back(page);
      }
    }
  });
}

std::uint64_t Cache::bring(const std::vector<PageRun>& runs, Why why, bool write, bool hold) {
  std::uint64_t fetched = 0;
  if (why == Why::fault && limit_) note_touched(runs);
  std::vector<PageRun> left = runs;
  while (!left.empty()) {
    std::vector<PageRun> fetch, unheld;
    std::vector<std::uint64_t> others, gone;
    for (const PageRun& run : left) {
      if (hold)
        for (std::uint64_t page = run.first; page < run.first + run.count; ++page)
          if (pages_.state(page) != Page::absent && !pages_.held(page)) unheld.push_back({page, 1});
      collect(run, fetch, others);
    }
    std::uint64_t count = 0;
    for (const PageRun& run : fetch) count += run.count;
    if (limit_) make_room(count);
    fetched += count;
    if (count)
      supply_.fetch(fetch, hold, [&](std::size_t k) {
        for (std::uint64_t page = fetch[k].first; page < fetch[k].first + fetch[k].count; ++page) {
          pages_.add(page);
          if (!pages_.backed(page)) pages_.backed(page, true);
          if (hold) pages_.hold(page, true);
          pages_.set(page, Page::clean);
        }
        pages_.count(static_cast<std::int64_t>(fetch[k].count));
        Counts& counts = arrays_.find(fetch[k].first)->counts;
        counts.bytes_in += fetch[k].count * range_.page_bytes();
        (why == Why::fault ? counts.by_fault : counts.by_section) += fetch[k].count;
      });
    if (!unheld.empty()) {
      supply_.hold(unheld);
      for (const PageRun& run : unheld) pages_.hold(run.first, true);
    }
    for (const std::uint64_t page : others) {
      while (pages_.state(page) == Page::busy) std::this_thread::sleep_for(std::chrono::microseconds(20));
      if (pages_.state(page) == Page::absent) gone.push_back(page);
    }
    if (write)
      for (const PageRun& run : left)
        of_others(run, [&](const PageRun& part, int) { make_dirty(part, gone); });
    // A thread that is shown what it touched goes on, into a synchronisation perhaps: nothing more is asked for it.
    if (why == Why::fault)
      std::erase_if(gone, [&](std::uint64_t page) {
        return std::none_of(left.begin(), left.end(), [&](const PageRun& run) { return run.first == page; });
      });
    for (const PageRun& run : left) show(run, write);
    left.clear();
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    by_runs(gone, [&](const PageRun& run) { left.push_back(run); });
  }
  return fetched;
}

// Pages that are clean get their twins together. No thread waits for others while it has pages busy: one that is busy, or
// something else, ends the group.
void Cache::make_dirty(const PageRun& run, std::vector<std::uint64_t>& gone) {
  for (std::uint64_t page = run.first, end = run.first + run.count; page < end;) {
    std::uint64_t next = page;
    while (next < std::min(end, page + kTwinsAtOnce) && pages_.move(next, Page::clean, Page::busy)) ++next;
    if (next == page) {
      if (!make_dirty(page)) gone.push_back(page);
      ++page;
      continue;
    }
    range_.write_twins(page, range_.page(page), (next - page) * range_.page_bytes());
    arrays_.find(page)->counts.first_writes += next - page;
    for (; page < next; ++page) pages_.set(page, Page::dirty);
  }
}

// Nobody writes a clean page: all views of it are for reading.
bool Cache::make_dirty(std::uint64_t page) {
  const Page was = pages_.take(page);
  if (was == Page::clean) {
    range_.write_twins(page, range_.page(page), range_.page_bytes());
    ++arrays_.find(page)->counts.first_writes;
  }
  pages_.set(page, was == Page::clean ? Page::dirty : was);
  return was != Page::absent;
}

// Pages that are gone again, or busy, are left: a touch brings them.
void Cache::show(const PageRun& run, bool write) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> fresh, more;
  const auto look = [&](std::uint64_t page) {
    if (view(page) == writable || (view(page) == readable && !write)) return;
    const bool shown = view(page) != none;
    if (!shown) pages_.mapped(page, 1); // whoever gives it back looks at this with the page busy
    const Page is = pages_.state(page);
    if (is == Page::absent || is == Page::busy || (write && is != Page::dirty)) {
      if (!shown) pages_.mapped(page, -1);
      return;
    }
    (shown ? more : fresh).push_back(page);
    set_view(page, write ? writable : readable);
  };
  of_others(run, [&](const PageRun& part, int) {
    for (std::uint64_t page = part.first; page < part.first + part.count; ++page) look(page);
  });
  by_runs(fresh, [&](const PageRun& r) { faults_.map(r.first, r.count, write); });
  by_runs(more, [&](const PageRun& r) { faults_.allow(r.first, r.count); });
}

bool Cache::show_again(std::uint64_t page, bool write) {
  const std::lock_guard lock(mutex_);
  const View has = view(page);
  if (has == none || (write && has == readable) || pages_.state(page) == Page::absent) return false;
  faults_.map(page, 1, has == writable);
  return true;
}

void Cache::show_own(const PageRun& run) {
  const std::size_t system = 4096;
  volatile const char* const at = range_.page(run.first);
  for (std::size_t k = 0; k < run.count * range_.page_bytes(); k += system) static_cast<void>(at[k]);
  faults_.map(run.first, run.count, true);
}

// Waits for homes alone: who has pages busy may wait for those that this thread has. What goes to one home is one message.
void Cache::make_room(std::uint64_t more) {
  std::vector<std::uint64_t> given; // busy until their homes have what was written
  std::map<int, std::vector<char>> patches;
  const auto fits = [&] {
    return pages_.there() + static_cast<std::int64_t>(more) <=
           static_cast<std::int64_t>(limit_ + given.size());
  };
  const auto go = [&] {
    for (auto& [home, out] : patches) supply_.settle(home, std::move(out));
    std::sort(given.begin(), given.end());
    by_runs(given, [&](const PageRun& run) { range_.release(run.first, run.count); });
    pages_.count(-static_cast<std::int64_t>(given.size()));
    for (const std::uint64_t page : given) {
      pages_.backed(page, false);
      pages_.set(page, Page::absent);
    }
    patches.clear();
    given.clear();
  };
  for (const bool dirty : {false, true}) {
    const std::uint64_t all = pages_.listed();
    for (std::uint64_t k = 0; k < all && !fits(); ++k) {
      const auto page = pages_.listed(hand_.fetch_add(1, std::memory_order_relaxed) % all);
      if (!page || pages_.held(*page)) continue;
      const Page is = pages_.state(*page);
      if (is != Page::clean && !(dirty && is == Page::dirty)) continue;
      if (give_back(*page, is, patches)) given.push_back(*page);
      if (given.size() * range_.page_bytes() > kMostBytes / 2) go();
    }
  }
  go();
}

void Cache::note_touched(const std::vector<PageRun>& runs) {
  const std::lock_guard lock(mutex_);
  for (const PageRun& run : runs) {
    if (touched_.size() < kTouched) touched_.push_back(run.first);
    touched_[next_touched_] = run.first;
    next_touched_ = (next_touched_ + 1) % kTouched;
  }
}

// Takes the page, and what was written into it for its home. False where others have it in their view, and where a thread has
// touched it just now.
bool Cache::give_back(std::uint64_t page, Page was, std::map<int, std::vector<char>>& patches) {
  if (!pages_.move(page, was, Page::busy)) return false;
  const std::unique_lock lock(mutex_);
  const int mine = view(page) != none;
  if (pages_.held(page) || pages_.mapped(page) > mine ||
      std::find(touched_.begin(), touched_.end(), page) != touched_.end()) {
    pages_.set(page, was);
    return false;
  }
  if (mine) {
    faults_.unmap(page, 1);
    set_view(page, none);
    pages_.mapped(page, -1);
  }
  if (was != Page::dirty) return true;
  std::vector<char> patch;
  if (append_patch(patch, page, range_.page(page), range_.twin(page), range_.page_bytes())) {
    std::vector<char>& out = patches[arrays_.find(page)->home(page)];
    out.insert(out.end(), patch.begin(), patch.end());
    pages_.early(page);
  }
  return true;
}

void Cache::flush(int place, int of, const std::function<void(int home, std::uint64_t page)>& write) {
  const std::uint64_t all = pages_.listed();
  for (std::uint64_t k = static_cast<std::uint64_t>(place); k < all; k += static_cast<std::uint64_t>(of)) {
    const auto page = pages_.listed(k);
    if (!page || !pages_.move(*page, Page::dirty, Page::busy)) continue;
    write(arrays_.find(*page)->home(*page), *page);
    pages_.set(*page, Page::clean);
  }
}

// A page stays busy until its home has what was written: whoever refreshed it before would take it back. This alone waits for
// a page while it has others busy. One thread of the node does so at a time, and a page stands in the list once: nobody waits
// in a circle.
std::vector<std::uint64_t> Cache::settle_all() {
  struct Sent {
    std::uint64_t page;
    std::vector<char> now; // as it was sent: threads may write meanwhile
  };
  std::vector<std::uint64_t> written;
  std::map<int, std::vector<char>> patches;
  std::vector<Sent> busy;
  std::vector<char> now(range_.page_bytes());
  std::size_t waiting = 0; // bytes
  const auto go = [&] {
    for (auto& [home, out] : patches) supply_.settle(home, std::move(out));
    for (const Sent& sent : busy) {
      std::memcpy(range_.twin(sent.page), sent.now.data(), sent.now.size());
      pages_.set(sent.page, Page::dirty);
    }
    patches.clear();
    busy.clear();
    waiting = 0;
  };
  const std::uint64_t all = pages_.listed();
  for (std::uint64_t k = 0; k < all; ++k) {
    const auto listed = pages_.listed(k);
    if (!listed) continue;
    const std::uint64_t page = *listed;
    Page was = pages_.state(page);
    const bool taken = was == Page::dirty || was == Page::busy; // one that another has busy may be dirty
    if (taken) was = pages_.take(page);
    if (pages_.take_early(page)) written.push_back(page);
    if (was != Page::dirty) {
      if (taken) pages_.set(page, was);
      continue;
    }
    std::memcpy(now.data(), range_.page(page), now.size());
    Array& array = *arrays_.find(page);
    std::vector<char>& out = patches[array.home(page)];
    const std::size_t before = out.size();
    if (!append_patch(out, page, now.data(), range_.twin(page), now.size())) {
      if (out.empty()) patches.erase(array.home(page));
      pages_.set(page, Page::dirty);
      continue;
    }
    written.push_back(page);
    array.counts.bytes_out += out.size() - before;
    waiting += out.size() - before;
    busy.push_back({page, now});
    if (waiting > kMostBytes / 2) go();
  }
  go();
  return written;
}

// Who has pages busy waits for homes alone, not for pages that others have busy: of those the first is waited for, with none
// taken, and the rest come in their turn.
void Cache::refresh(const std::vector<std::uint64_t>& pages) {
  std::map<std::pair<int, bool>, std::deque<std::uint64_t>> left; // by home, and whether it is held
  for (const std::uint64_t page : pages)
    if (const Array* const array = arrays_.find(page); array && !supply_.ours(array->home(page)))
      left[{array->home(page), pages_.held(page)}].push_back(page);
  const std::size_t bytes = range_.page_bytes(), most = std::max<std::size_t>(1, kReadAtOnce / bytes);
  std::vector<char> fresh;
  for (auto& [from, list] : left) {
    while (!list.empty()) {
      std::vector<std::uint64_t> busy;
      std::vector<Page> was;
      for (std::size_t k = list.size(); k > 0 && busy.size() < most; --k) {
        const std::uint64_t page = list.front();
        list.pop_front();
        Page is = pages_.state(page);
        if (is == Page::busy && busy.empty()) {
          is = pages_.take(page);
          if (is == Page::absent) pages_.set(page, is);
        } else if (is != Page::absent && (is == Page::busy || !pages_.move(page, is, Page::busy))) {
          list.push_back(page);
          continue;
        }
        if (is == Page::absent) continue;
        busy.push_back(page);
        was.push_back(is);
      }
      if (busy.empty()) continue;
      fresh.resize(busy.size() * bytes);
      supply_.read(busy, from.second, fresh.data());
      for (std::size_t k = 0; k < busy.size(); ++k) {
        take_in(busy[k], was[k], fresh.data() + k * bytes);
        pages_.set(busy[k], was[k]);
      }
    }
  }
}

// The page is busy. What was written here since the twin was taken stays.
void Cache::take_in(std::uint64_t page, Page was, const char* fresh) {
  const std::size_t bytes = range_.page_bytes();
  char* const now = range_.page(page);
  if (was == Page::clean) {
    std::memcpy(now, fresh, bytes);
    return;
  }
  char* const twin = range_.twin(page);
  for (std::size_t k = 0; k < bytes; ++k) {
    if (fresh[k] == twin[k]) continue;
    if (now[k] == twin[k]) now[k] = fresh[k];
    twin[k] = fresh[k];
  }
}

void Cache::drop(std::uint64_t page) {
  if (!pages_.move(page, Page::clean, Page::absent)) return;
  pages_.count(-1);
}

void Cache::update(const Patch& patch) {
  if (pages_.state(patch.page) == Page::absent) return;
  apply(patch, range_.page(patch.page));
  arrays_.find(patch.page)->counts.bytes_in += static_cast<std::uint64_t>(patch.end - patch.bytes);
}

void Cache::set_view(std::uint64_t page, View to) {
  if (to != none && !(view_[page] & kListed)) {
    shown_.push_back(page);
    view_[page] |= kListed;
  }
  view_[page] = static_cast<std::uint8_t>((view_[page] & kListed) | to);
}

void Cache::adjust() {
  const std::lock_guard lock(mutex_);
  std::sort(shown_.begin(), shown_.end());
  std::vector<std::uint64_t> gone, written, kept;
  for (const std::uint64_t page : shown_) {
    const Page is = pages_.state(page);
    if (view(page) != none && is == Page::absent) {
      gone.push_back(page);
      pages_.mapped(page, -1);
      view_[page] = none;
    } else if (view(page) == none) {
      view_[page] = none;
    } else {
      if (view(page) == writable && is == Page::clean) {
        written.push_back(page);
        set_view(page, readable);
      }
      kept.push_back(page);
    }
  }
  shown_ = std::move(kept);
  by_runs(gone, [&](const PageRun& run) { faults_.unmap(run.first, run.count); });
  by_runs(written, [&](const PageRun& run) { faults_.protect(run.first, run.count); });
}

void Cache::drop_all(int place, int of) {
  const std::uint64_t all = pages_.listed();
  std::vector<std::uint64_t> dropped;
  for (std::uint64_t k = static_cast<std::uint64_t>(place); k < all; k += static_cast<std::uint64_t>(of)) {
    const auto page = pages_.listed(k);
    if (!page) continue;
    pages_.hold(*page, false);
    if (!pages_.move(*page, Page::clean, Page::absent)) continue;
    pages_.count(-1);
    pages_.backed(*page, false);
    dropped.push_back(*page);
  }
  std::sort(dropped.begin(), dropped.end());
  by_runs(dropped, [&](const PageRun& run) { range_.release(run.first, run.count); });
}

} // namespace tasuki::space

// The states of others' pages that a node holds, in memory that its ranks share: four bytes per page.
//
//   Pages pages(range);
//   if (pages.move(7, Page::absent, Page::busy)) { fetch; pages.add(7); pages.set(7, Page::clean); }
//
//            fetched           first write: the twin is taken
//   absent ------------> clean ------------------------------> dirty
//      ^                 |   ^                                   |
//      +--- dropped -----+   +------- sent to its home ----------+
//
// A rank that changes a page makes it busy meanwhile; others wait.
#pragma once

#include <tasuki/space/range.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace tasuki::space {

enum class Page : std::uint8_t { absent, busy, clean, dirty };

class Pages {
public:
  explicit Pages(const Range& range);

  Page state(std::uint64_t page) const {
    return static_cast<Page>(word(page).load(std::memory_order_acquire) & 3);
  }
  bool move(std::uint64_t page, Page from, Page to); // true where it was `from`, and is `to` now
  void set(std::uint64_t page, Page to);             // by the rank that made it busy, or at a synchronisation
  // Waits while the page is busy, and makes it busy. Returns what it was.
  Page take(std::uint64_t page);

  bool held(std::uint64_t page) const { return word(page).load(std::memory_order_acquire) & kHeld; }
  void hold(std::uint64_t page, bool on) { mark(page, kHeld, on); }

  // Whether the system has memory for it: who fetches it again can receive it in place, where new memory is a fault a page.
  bool backed(std::uint64_t page) const { return word(page).load(std::memory_order_acquire) & kBacked; }
  void backed(std::uint64_t page, bool is) { mark(page, kBacked, is); }

  // How many ranks of the node have it mapped.
  int mapped(std::uint64_t page) const { return word(page).load(std::memory_order_acquire) >> 16; }
  void mapped(std::uint64_t page, int more) { word(page).fetch_add(static_cast<std::uint32_t>(more) << 16); }

  // The list of pages: all that are not absent, and some that have been dropped since. Each page once.
  void add(std::uint64_t page);
  std::uint64_t listed() const { return count_->load(std::memory_order_acquire); }
  // Empty while the rank that adds a page has taken this place but not written it: the page is busy then.
  std::optional<std::uint64_t> listed(std::uint64_t place) const {
    const std::uint64_t entry = std::atomic_ref(list_[place]).load(std::memory_order_acquire);
    return entry ? std::optional(entry - 1) : std::nullopt;
  }
  void compact(); // drops absent ones from the list. By one rank, while no other adds

  // Pages whose bytes went home before the lock was released under which they were written. The next release reports them.
  void early(std::uint64_t page) { word(page).fetch_or(kEarly); }
  bool take_early(std::uint64_t page) { return word(page).fetch_and(~kEarly) & kEarly; }

  // A lock of the node: one thread at a time has the turn. That thread waits for homes and busy pages; a thread that has pages
  // busy never waits for the turn.
  class Turn {
  public:
    explicit Turn(const Pages& pages);
    ~Turn() { taken_.store(0, std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    std::atomic<std::uint32_t>& taken_;
  };

  // The number of pages that are not absent, as counted by those that fetch and drop them.
  std::int64_t there() const { return there_->load(std::memory_order_relaxed); }
  void count(std::int64_t more) { there_->fetch_add(more, std::memory_order_relaxed); }

private:
  static constexpr std::uint32_t kHeld = 4, kListed = 8, kEarly = 16, kBacked = 32;
  void mark(std::uint64_t page, std::uint32_t bit, bool on);
  std::atomic_ref<std::uint32_t> word(std::uint64_t page) const { return std::atomic_ref(words_[page]); }

  std::atomic<std::uint64_t>* count_;
  std::atomic<std::int64_t>* there_;
  std::atomic<std::uint32_t>* turn_;
  std::uint64_t* list_;  // a page's number plus 1; 0: not written yet
  std::uint32_t* words_; // bits: state 2, held, listed, early, backed, .., mapped 16
};

} // namespace tasuki::space

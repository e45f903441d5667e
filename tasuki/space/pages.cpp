#include <tasuki/space/pages.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace tasuki::space {

static_assert(Range::kNoteBytes >= sizeof(std::uint64_t) + sizeof(std::uint32_t));

Pages::Pages(const Range& range) {
  char* at = range.notes();
  count_ = reinterpret_cast<std::atomic<std::uint64_t>*>(at);
  there_ = reinterpret_cast<std::atomic<std::int64_t>*>(at + 128);
  turn_ = reinterpret_cast<std::atomic<std::uint32_t>*>(at + 256);
  at += std::size_t{1} << 21;
  list_ = reinterpret_cast<std::uint64_t*>(at);
  words_ = reinterpret_cast<std::uint32_t*>(at + range.pages() * sizeof(std::uint64_t));
}

bool Pages::move(std::uint64_t page, Page from, Page to) {
  auto ref = word(page);
  std::uint32_t was = ref.load(std::memory_order_acquire);
  while (static_cast<Page>(was & 3) == from)
    if (ref.compare_exchange_weak(was, (was & ~3u) | static_cast<std::uint32_t>(to))) return true;
  return false;
}

void Pages::set(std::uint64_t page, Page to) {
  auto ref = word(page);
  std::uint32_t was = ref.load(std::memory_order_acquire);
  while (!ref.compare_exchange_weak(was, (was & ~3u) | static_cast<std::uint32_t>(to))) {}
}

Page Pages::take(std::uint64_t page) {
  for (int turn = 0;; ++turn) {
    const Page was = state(page);
    if (was != Page::busy && move(page, was, Page::busy)) return was;
    if (turn > 64) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Pages::Turn::Turn(const Pages& pages) : taken_(*pages.turn_) {
  while (taken_.exchange(1, std::memory_order_acquire))
    std::this_thread::sleep_for(std::chrono::microseconds(20));
}

void Pages::mark(std::uint64_t page, std::uint32_t bit, bool on) {
  if (on)
    word(page).fetch_or(bit);
  else
    word(page).fetch_and(~bit);
}

void Pages::add(std::uint64_t page) {
  if (word(page).fetch_or(kListed) & kListed) return;
  std::atomic_ref(list_[count_->fetch_add(1)]).store(page + 1, std::memory_order_release);
}

void Pages::compact() {
  const std::uint64_t all = listed();
  std::uint64_t kept = 0;
  for (std::uint64_t k = 0; k < all; ++k) {
    const std::uint64_t entry = std::exchange(list_[k], 0), page = entry - 1;
    if (state(page) == Page::absent)
      word(page).fetch_and(~(kListed | kHeld | kEarly));
    else
      list_[kept++] = entry;
  }
  *count_ = kept;
  *there_ = static_cast<std::int64_t>(kept);
}

} // namespace tasuki::space

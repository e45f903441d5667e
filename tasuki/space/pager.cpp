#include <tasuki/space/pager.hpp>

#include <algorithm>
#include <chrono>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

namespace tasuki::space {

std::uint64_t Readers::ahead(std::uint64_t page, std::uint64_t room) {
  for (Reader& reader : readers_) {
    if (reader.next != page) continue;
    reader.count = std::min({2 * reader.count, kMost, room});
    reader.next = page + reader.count;
    return reader.count;
  }
  readers_[oldest_++ % readers_.size()] = {page + 1, 1};
  return 1;
}

Pager::Pager(const Range& range, Arrays& arrays, Faults& faults, Cache& cache, const Supply& supply,
             bool places)
    : range_(range), arrays_(arrays), faults_(faults), cache_(cache), supply_(supply), notes_(places) {
  if (notes_) faults_.tell_code();
  // Signals that ask the run to stop, and timers of the program, are for its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Pager::~Pager() {
  faults_.stop();
  thread_.join();
}

Fit Pager::fit(const Array& array) const {
  const std::lock_guard lock(mutex_);
  const auto found = fits_.find(&array);
  return found == fits_.end() ? Fit{} : found->second;
}

void Pager::run() {
  prctl(PR_SET_TIMERSLACK,
        1000UL); // ns: a program's thread waits while this one sleeps; the system's 50 us are a touch
  std::array<Touch, 64> touches;
  while (const std::size_t count = faults_.wait(touches.data(), touches.size())) serve(touches.data(), count);
}

// All that wait are served by one fetch of what lies with one home; then each may go on. A home is asked only while a thread
// of this rank waits in its touch: so nothing is asked while ranks synchronise.
void Pager::serve(const Touch* touches, std::size_t count) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<PageRun> reads, writes;
  std::vector<std::uint64_t> seen;
  for (std::size_t k = 0; k < count; ++k) {
    const Touch& touch = touches[k];
    Array* const array = arrays_.find(touch.page);
    if (!array) continue; // its array has ended: touched again, it is a stray
    ++array->counts.faults;
    const int home = array->home(touch.page);
    const std::uint64_t end = array->first + array->count;
    if (supply_.ours(home)) {
      cache_.show_own({touch.page, 1});
      continue;
    }
    if (cache_.show_again(touch.page, touch.write)) continue;
    if (touch.write) writes.push_back({touch.page, 1});
    if (std::find(seen.begin(), seen.end(), touch.page) != seen.end()) continue;
    seen.push_back(touch.page);
    const std::uint64_t ahead = readers_.ahead(touch.page, end - touch.page);
    reads.push_back({touch.page, ahead});
  }
  if (!reads.empty()) {
    Array& first = *arrays_.find(reads[0].first); // its thread goes on meanwhile, and may free it
    const std::uint64_t fetched = cache_.bring(reads, Why::fault, false);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    if (fetched) {
      const std::lock_guard lock(mutex_);
      fits_[&first].add(static_cast<double>(fetched), took.count());
    }
    if (fetched > reads.size()) first.counts.ahead += fetched - reads.size();
  }
  if (!writes.empty()) cache_.bring(writes, Why::fault, true);
  const auto waited = std::chrono::steady_clock::now() - begun;
  const auto ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(waited).count());
  for (std::size_t k = 0; k < count; ++k) {
    if (Array* const array = arrays_.find(touches[k].page)) {
      array->counts.waited += ns;
      const auto asked = std::find_if(reads.begin(), reads.end(),
                                      [&](const PageRun& run) { return run.first == touches[k].page; });
      if (notes_) places_.add(array->name, touches[k].code, asked == reads.end() ? 0 : asked->count, ns);
    }
    faults_.settle(touches[k]);
  }
}

} // namespace tasuki::space

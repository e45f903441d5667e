// The pager is a thread of a rank that serves touches of missing pages: one fetch for all threads that
// wait for a page, and more and more pages at a time for a reader that goes on from page to page.
#pragma once

#include <tasuki/space/arrays.hpp>
#include <tasuki/space/cache.hpp>
#include <tasuki/space/faults.hpp>
#include <tasuki/space/places.hpp>

#include <array>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace tasuki::space {

// How many pages ahead a touch fetches, by the touches before it. Pure arithmetic.
//
//   Readers readers;
//   readers.ahead(7, 100); // 1: nobody came from there; then of page 8: 2, of page 10: 4, of page 14: 8, ..
class Readers {
public:
  // The number of pages to fetch from this one on, at most `room`.
  std::uint64_t ahead(std::uint64_t page, std::uint64_t room);

private:
  struct Reader {
    std::uint64_t next = ~std::uint64_t{0}, count = 1;
  };
  static constexpr std::uint64_t kMost = 64;
  std::array<Reader, 16> readers_; // threads that go through arrays side by side
  std::size_t oldest_ = 0;
};

class Pager {
public:
  // `places`: also notes which instructions touch which pages.
  Pager(const Range& range, Arrays& arrays, Faults& faults, Cache& cache, const Supply& supply, bool places);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // For the report: where touches came from, if places are noted, and the times of fetches.
  const Places& places() const { return places_; }
  Fit fit(const Array& array) const;

private:
  void run();
  void serve(const Touch* touches, std::size_t count);

  const Range& range_;
  Arrays& arrays_;
  Faults& faults_;
  Cache& cache_;
  const Supply& supply_;
  Readers readers_;
  const bool notes_;
  Places places_;
  mutable std::mutex mutex_;         // of the next
  std::map<const Array*, Fit> fits_; // of fetches for touches
  std::thread thread_;               // the last: it uses the rest
};

} // namespace tasuki::space

// The arrays of a space: the address, the owners and the counters of each.
//
//   Array& a = arrays.add(Map({N}, {4}, 8, 0, 4), "a");
//   arrays.find(page)->home(page);
//
// Addresses are given out in the order of the calls, which is the same on every rank, and are never reused.
#pragma once

#include <tasuki/space/map.hpp>
#include <tasuki/space/range.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tasuki::space {

// What an array cost this rank.
struct Counts {
  std::atomic<std::uint64_t> faults{0};       // touches of pages that were not there
  std::atomic<std::uint64_t> first_writes{0}; // touches that took a twin
  std::atomic<std::uint64_t> by_fault{0};     // pages fetched because a thread waited for them,
  std::atomic<std::uint64_t> ahead{0};        // beside such a one,
  std::atomic<std::uint64_t> by_section{0};   // by preload, overload and hold
  std::atomic<std::uint64_t> bytes_in{0};     // fetched or brought up to date
  std::atomic<std::uint64_t> bytes_out{0};    // sent home
  std::atomic<std::uint64_t> waited{0};       // ns of threads that touched what was not there
};

struct Array {
  Map map;
  std::string name;
  std::function<std::string(std::uint64_t byte)> names; // text of what is there; null: indices
  std::uint64_t first = 0, count = 0;                   // pages
  std::size_t page_bytes = 0;
  std::atomic<bool> alive{true};
  Counts counts;

  int home(std::uint64_t page) const { return map.home(page - first, page_bytes); }
  // The first page behind this one that may have another home.
  std::uint64_t same_home_until(std::uint64_t page) const {
    return first + map.same_home_until(page - first, page_bytes);
  }
  // "a[3][17]": the element at a byte of the array.
  std::string element(std::uint64_t byte) const;
};

class Arrays {
public:
  explicit Arrays(const Range& range) : range_(range) {}

  // Throws Error if the range is full. One thread at a time may call it.
  Array& add(Map map, std::string name);
  // The array that has this page; null if none does. Any thread may call it, in signal handlers too.
  Array* find(std::uint64_t page) const;
  // The array at an address; throws Error if there is none. `what`: who asks, for the error: "sms_preload".
  Array& at(const void* address, const std::string& what) const;
  std::uint64_t byte_of(const Array& array, const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - range_.view_of(array.first));
  }

  std::size_t count() const { return count_.load(std::memory_order_acquire); }
  Array& operator[](std::size_t k) const { return *arrays_[k]; }
  std::uint64_t digest() const { return digest_; }                 // of all that was added, ended and noted
  void note(std::uint64_t other) { digest_ = digest_with(other); } // of arrays that lie elsewhere
  std::uint64_t digest_with(std::uint64_t other) const;
  void end(Array& array);

private:
  static constexpr std::size_t kMost = 4096;
  const Range& range_;
  std::array<std::unique_ptr<Array>, kMost> arrays_;
  std::atomic<std::size_t> count_{0};
  std::uint64_t next_ = 0, digest_ = 0;
};

} // namespace tasuki::space

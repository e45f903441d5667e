// A map: which rank owns which element of an array, and which rank is the home of each page. Pure arithmetic.
//
//   const Map bands({N, N}, {4, 1}, sizeof(double), 0, 4); // N x N doubles in four bands of rows, on ranks 0 to 3
//   bands.owner(i * N + k);                                // the rank that has element (i, k)
//   for (const auto& run : bands.homes(4096)) ..           // pages 0 to pages(4096) - 1, in runs of one home
//
// Axes are written slowest first, as in C. Part k of an axis of n elements that is cut into d parts has the elements i with
// n * k / d <= i < n * (k + 1) / d (whole-number division), so parts differ by one element at most. Parts are counted with
// the last axis fastest and go to the ranks first, first + 1, .., first + ranks - 1 in turn.
#pragma once

#include <tasuki/distribution/cut.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasuki::space {

inline constexpr std::size_t kMostAxes = 7;

class Map {
public:
  Map() = default;
  // Throws Error if `extents` and `parts` differ in length, if there is no axis or more than seven, if an axis has no
  // element or more parts than elements, or if the whole is more than 2^62 bytes. `align`: parts of the slowest axis begin
  // where a page of this many bytes begins, which moves the cuts by less than the rows of a page; 0: cuts are not moved.
  Map(std::vector<long> extents, const std::vector<long>& parts, std::size_t element_bytes, int first,
      int ranks, std::size_t align = 0);

  const std::vector<long>& extents() const { return extents_; }
  std::size_t element_bytes() const { return element_bytes_; }
  long elements() const { return elements_; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(elements_) * element_bytes_; }

  int parts(std::size_t axis) const { return cuts_[axis].nodes(); }
  int first() const { return first_; } // the rank of part 0
  int ranks() const { return ranks_; }

  int owner(long element) const; // of an element by its number, the last axis fastest
  // The first element behind this one that may have another owner: all before it have the same owner.
  long same_until(long element) const;

  struct Run {
    std::uint64_t page = 0, count = 0; // of the array, from 0
    int home = 0;                      // a rank
    bool operator==(const Run&) const = default;
  };
  std::uint64_t pages(std::size_t page_bytes) const { return (bytes() + page_bytes - 1) / page_bytes; }
  int home(std::uint64_t page, std::size_t page_bytes) const; // the owner of the element at its first byte
  // The first page behind this one that may have another home: all before it have the same.
  std::uint64_t same_home_until(std::uint64_t page, std::size_t page_bytes) const;
  std::vector<Run> homes(std::size_t page_bytes) const; // ascending, each as long as possible

  // The first element of part k of an axis; the extent of the axis for the part behind the last.
  long begin(std::size_t axis, int part) const {
    return part < cuts_[axis].nodes() ? cuts_[axis].least(part) : extents_[axis];
  }

private:
  std::vector<long> extents_;
  std::vector<Cut> cuts_; // of each axis over its parts
  std::size_t element_bytes_ = 1;
  int first_ = 0, ranks_ = 1;
  long elements_ = 0;
};

} // namespace tasuki::space

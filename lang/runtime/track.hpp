// Each access of a distributed array under --check: whether this rank holds it, and whether a shadow is up to date. Internal.
//
//     u[j][i]  ->  ((double *)tsk_a_u.at)[tsk_check("a.c:9:5", &tsk_a_u, TSK_READS, 2, (long[]){j, i})]
//
// A write of its owner that comes before a read of its copy, with no reflect between, makes the copy stale. What ranks
// wrote and read is held together at the next reflect of the array, and where it ends, so nobody is asked meanwhile.
#pragma once

#include "run_time.hpp"

#include <tasuki/array/array.hpp>
#include <tasuki/array/reflect.hpp>

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tasuki::xmp {

struct ArrayObject;

// When the own elements of an array were written, and its shadows read. One for all arrays of one memory.
class Track {
public:
  explicit Track(Array& array);

  // This rank's cell number `at` of the memory is read or written; `cells`: its place along each dimension.
  void touch(const char* where, int how, long at, const std::vector<long>& cells);
  void wrote(const std::vector<long>& index); // by something that is no access of the text: a gmove
  void wrote(long at);
  void wrote_all();

  // Before a reflect of these widths, or before the array ends: the reads of shadows against the writes of owners, by all
  // ranks of its nodes. Ends the run by one rank's line where a read came too late.
  void look(const std::vector<ShadowWidth>& widths);
  void filled(const std::vector<ShadowWidth>& widths, bool corners); // by a reflect: up to date from here on
  void end() { look(last_); }

private:
  static constexpr long kNever = std::numeric_limits<long>::max();
  struct Read {
    long time = -1;
    const char* where = nullptr;
  };
  bool own(const std::vector<long>& cells) const;
  long* written() { return reinterpret_cast<long*>(times_.memory().data()); } // by cell
  void exchange(const std::vector<ShadowWidth>& widths, bool corners);
  [[noreturn]] void say(long at, const Read& read) const;

  Array& array_;
  std::optional<Ranks> ranks_; // none: this rank is none of its nodes
  Array times_; // of own cells: when they were first written since the last reflect; of a shadow: its owner's
  std::vector<std::vector<char>> own_; // by dimension and cell
  std::vector<long> stale_;            // by cell of the shadow: since when its owner has another value
  std::vector<Read> reads_;            // by cell of the shadow: the last
  std::vector<char> set_;              // by cell of the shadow: this rank wrote it itself
  std::vector<ShadowWidth> last_;
  std::map<std::vector<long>, std::unique_ptr<Reflect>> plans_;
};

// An element of an array by its global index: its place from `at`, in elements. Ends the run where this rank does not hold it.
long checked_place(ArrayObject& object, const char* where, int how, int dims, const long* index);

} // namespace tasuki::xmp

// Checks each access to a distributed array, for --check: the rank must hold the element, and shadows must be valid.
//
//     u[j][i]  ->  ((double *)tsk_a_u.at)[tsk_check("a.c:9:5", &tsk_a_u, TSK_READS, 2, (long[]){j, i})]
//
// If the owner writes an element and another rank then reads its copy without a reflect in between, the copy is stale.
// The times of writes and reads are compared at the next reflect of the array and at its end, not at each access.
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

// The times of writes to own elements and of reads of the shadow. Arrays with the same memory share one.
class Track {
public:
  explicit Track(Array& array);

  // Records an access to cell number `at` of this rank's memory; `cells`: its position along each dimension.
  void touch(const char* where, int how, long at, const std::vector<long>& cells);
  void wrote(const std::vector<long>& index); // by a gmove, which is not an access of the text
  void wrote(long at);
  void wrote_all();

  // Compares reads of shadows with writes of owners, on all ranks of the array's nodes, before a reflect with `widths`
  // and before the array ends. If a stale copy was read, one rank reports it and the run ends.
  void look(const std::vector<ShadowWidth>& widths);
  void filled(const std::vector<ShadowWidth>& widths, bool corners); // by a reflect: shadows are valid now
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
  std::optional<Ranks> ranks_; // nothing: this rank is not a node of the array
  Array times_; // of own cells: the first write since the last reflect; of a shadow: that of its owner
  std::vector<std::vector<char>> own_; // by dimension and cell
  std::vector<long> stale_;            // by cell of the shadow: the time from which its copy is outdated
  std::vector<Read> reads_;            // by cell of the shadow: the last
  std::vector<char> set_;              // by cell of the shadow: this rank has written it itself
  std::vector<ShadowWidth> last_;
  std::map<std::vector<long>, std::unique_ptr<Reflect>> plans_;
};

// The offset of an element from `at`, in elements, by its global index. Ends the run if this rank does not hold it.
long checked_place(ArrayObject& object, const char* where, int how, int dims, const long* index);

} // namespace tasuki::xmp

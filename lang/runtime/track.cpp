#include "track.hpp"

#include "checking.hpp"
#include "copies.hpp"
#include "objects.hpp"
#include "translated.h"

#include <tasuki/base/reduce.hpp>

#include <algorithm>

namespace tasuki::xmp {
namespace {

std::string element(const std::string& name, const std::vector<long>& index) {
  std::string text = name;
  for (const long each : index) text += "[" + std::to_string(each) + "]";
  return text;
}

// The rank that owns an element, the first one if there are copies; periodic shadows refer to the other end.
int owner_of(const Array& array, std::vector<long> index) {
  for (int d = 0; d < array.dims(); ++d) {
    long& g = index[static_cast<std::size_t>(d)];
    g = (g % array.extent(d) + array.extent(d)) % array.extent(d);
  }
  return array.nodes().rank(array.alignment().owners(index).front());
}

// The cell of index g along a dimension in this rank's memory; below 0 if the rank does not hold it.
long cell_of(const Array& array, int dim, long g) {
  const Holding::Axis& axis = array.holding().axis(dim);
  const AlignedAxis& aligned = array.alignment().axes()[static_cast<std::size_t>(dim)];
  if (axis.linear) return g >= axis.first && g < axis.first + axis.cells ? g - axis.first : -1;
  const bool mine =
      g >= 0 && g < aligned.extent() && aligned.owner(g) == array.alignment().coordinate(array.node(), dim);
  return mine ? aligned.place(g) : -1;
}

[[noreturn]] void say_not_held(const Array& array, const char* where, int dims, const long* index) {
  const std::vector<long> place(index, index + dims);
  const std::string name = element(array.name(), place);
  for (int d = 0; d < dims; ++d)
    if (index[d] < 0 || index[d] >= array.extent(d))
      fail(where,
           (name + " is outside of dimension " + std::to_string(d) + " of " + array.name() + ", 0 to " +
            std::to_string(array.extent(d) - 1) + ", and of its shadow; name an element that there is")
               .c_str());
  std::vector<long> whole = place;
  whole.resize(static_cast<std::size_t>(array.dims()), 0);
  fail(where, (name + " is not held by rank " + std::to_string(array.world().rank()) +
               ": its owner is rank " + std::to_string(owner_of(array, whole)) +
               "; let its owner do this, widen the shadow and reflect it, or use gmove")
                  .c_str());
}

} // namespace

Track::Track(Array& array)
    : array_(array),
      times_(RunTime::now().host(), "times of " + array.name(), sizeof(long), array.alignment(),
             array.shadows()) {
  if (array.node() < 0) return;
  ranks_ = tasuki::ranks_of(array.world(), array.nodes());
  const Holding& holding = array.holding();
  const auto cells = static_cast<std::size_t>(holding.bytes() / holding.size());
  std::fill_n(written(), cells, kNever);
  stale_.assign(cells, kNever);
  reads_.resize(cells);
  set_.resize(cells);
  last_.assign(static_cast<std::size_t>(array.dims()), ShadowWidth{});
  for (int d = 0; d < array.dims(); ++d) {
    const AlignedAxis& aligned = array.alignment().axes()[static_cast<std::size_t>(d)];
    std::vector<char>& own = own_.emplace_back(static_cast<std::size_t>(holding.axis(d).cells));
    for (long g = 0; cells > 0 && g < aligned.extent(); ++g)
      if (aligned.owner(g) == array.alignment().coordinate(array.node(), d))
        own[static_cast<std::size_t>(cell_of(array, d, g))] = 1;
  }
}

bool Track::own(const std::vector<long>& cells) const {
  for (std::size_t d = 0; d < cells.size(); ++d)
    if (!own_[d][static_cast<std::size_t>(cells[d])]) return false;
  return true;
}

void Track::touch(const char* where, int how, long at, const std::vector<long>& cells) {
  const auto k = static_cast<std::size_t>(at);
  const long now = RunTime::now().checking().now();
  if (own(cells)) {
    if (how & TSK_WRITES) written()[at] = std::min(written()[at], now);
  } else if (how & TSK_WRITES) {
    set_[k] = 1;
  } else if ((how & TSK_READS) && !set_[k]) {
    reads_[k] = {now, where};
  }
}

void Track::wrote(const std::vector<long>& index) {
  if (!array_.alignment().holds(array_.node(), index)) return;
  wrote(array_.holding().offset(array_.alignment(), index) / array_.size());
}
void Track::wrote_all() {
  for (std::size_t k = 0; k < stale_.size(); ++k) wrote(static_cast<long>(k));
}
void Track::wrote(long at) { written()[at] = std::min(written()[at], RunTime::now().checking().now()); }

void Track::exchange(const std::vector<ShadowWidth>& widths, bool corners) {
  std::vector<long> key{corners};
  for (const ShadowWidth& width : widths) key.insert(key.end(), {width.lo, width.hi, width.periodic});
  std::unique_ptr<Reflect>& plan = plans_[key];
  if (!plan) plan = std::make_unique<Reflect>(std::vector<Reflected>{{&times_, widths, corners}});
  plan->whole();
}

void Track::look(const std::vector<ShadowWidth>& widths) {
  if (!ranks_) return;
  Checking& check = RunTime::now().checking();
  const std::vector<long> most = reduce_max(*ranks_, std::vector<long>{check.now(), -check.now()});
  check.pass(most[0]);
  std::vector<ShadowWidth> whole;
  for (const ShadowWidth& width : widths) whole.push_back({-1, -1, width.periodic});
  exchange(whole, true);
  long found = -1;
  for (std::size_t k = 0; k < stale_.size(); ++k) {
    stale_[k] = std::min(stale_[k], written()[k]);
    if (reads_[k].time <= stale_[k]) continue;
    if (found < 0 || reads_[k].time < reads_[static_cast<std::size_t>(found)].time)
      found = static_cast<long>(k);
  }
  // If the ranks executed different statements, their times cannot be compared. The first rank with a fault reports it.
  const bool may_say = most[0] == -most[1];
  const int me = ranks_->place(), none = ranks_->size();
  const int first = -reduce_max(*ranks_, -(may_say && found >= 0 ? me : none));
  if (first == me) say(found, reads_[static_cast<std::size_t>(found)]);
  if (first < none) barrier(*ranks_, "the end of the run");
  std::fill(reads_.begin(), reads_.end(), Read{});
}

void Track::filled(const std::vector<ShadowWidth>& widths, bool corners) {
  if (!ranks_) return;
  constexpr long kHere = -1; // marks the cells that the reflect fills
  last_ = widths;
  const auto cells = static_cast<long>(stale_.size());
  const auto is_own = [&](long at) {
    std::vector<long> along(own_.size());
    for (std::size_t d = own_.size(); d-- > 0;) {
      const long count = array_.holding().axis(static_cast<int>(d)).cells;
      along[d] = at % count;
      at /= count;
    }
    return own(along);
  };
  for (long at = 0; at < cells; ++at) written()[at] = is_own(at) ? kHere : kNever;
  exchange(widths, corners);
  for (long at = 0; at < cells; ++at) {
    const auto k = static_cast<std::size_t>(at);
    if (written()[at] == kHere) {
      stale_[k] = kNever;
      set_[k] = 0;
    }
    written()[at] = kNever;
  }
}

void Track::say(long at, const Read& read) const {
  std::vector<long> index(own_.size());
  for (std::size_t d = own_.size(); d-- > 0;) {
    const Holding::Axis& axis = array_.holding().axis(static_cast<int>(d));
    index[d] = axis.linear ? axis.first + at % axis.cells : at % axis.cells;
    at /= axis.cells;
  }
  fail(read.where, (element(array_.name(), index) + " is read from a shadow, and its owner, rank " +
                    std::to_string(owner_of(array_, index)) +
                    ", has written it since the shadow was filled; put `#pragma xmp reflect (" +
                    array_.name() + ")` before this")
                       .c_str());
}

long checked_place(ArrayObject& object, const char* where, int how, int dims, const long* index) {
  const Array& array = *object.array;
  long place = 0, at = 0;
  std::vector<long> cells(static_cast<std::size_t>(dims));
  for (int d = 0; d < dims; ++d) {
    const long cell = array.node() < 0 || object.face->bytes == 0 ? -1 : cell_of(array, d, index[d]);
    if (cell < 0) say_not_held(array, where, dims, index);
    cells[static_cast<std::size_t>(d)] = cell;
    at += cell * object.face->step[d];
    place += tsk_local(object.face, d, index[d]) * object.face->step[d];
  }
  if (object.track && dims == array.dims()) object.track->touch(where, how, at, cells);
  if (object.writes && how != TSK_READS) object.writes->note(at, where);
  return place;
}

} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

long tsk_check(const char* where, const tsk_array* a, int how, int dims, const long* index) {
  return at(where, [&] { return checked_place(array_of(a), where, how, dims, index); });
}
}

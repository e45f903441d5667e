// Collective operations of nodes: barrier, bcast, reductions, and tasks, which some of the nodes execute.
#include "checking.hpp"
#include "numbers.hpp"
#include "objects.hpp"
#include "plans.hpp"
#include "present.hpp"
#include "sections.hpp"

#include <tasuki/transfer/collectives.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::xmp {
namespace {

// The bytes of all ranks, concatenated in the order of the reference.
std::vector<char> gathered(const Ranks& ranks, const std::vector<int>& order, const void* mine, long bytes) {
  const std::vector<char> all = all_gather(ranks, mine, bytes);
  std::vector<char> ordered(all.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    std::memcpy(ordered.data() + static_cast<long>(k) * bytes, all.data() + *ranks.place_of(order[k]) * bytes,
                static_cast<std::size_t>(bytes));
  return ordered;
}

// Whether values may be folded in any order with the same bits.
bool is_whole(int type) {
  switch (type) {
    case TSK_FLOAT:
    case TSK_DOUBLE:
    case TSK_LDOUBLE:
    case TSK_FLOAT_COMPLEX:
    case TSK_DOUBLE_COMPLEX: return false;
    default: return true;
  }
}

bool wins(int op, int order) {
  return op == TSK_FIRSTMAX || op == TSK_LASTMAX || op == TSK_MAX ? order > 0 : order < 0;
}
bool takes_last(int op) { return op == TSK_LASTMAX || op == TSK_LASTMIN; }

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_barrier(const char* where, const tsk_ref* on) {
  at(where, [&] {
    const auto ranks = ranks_of(on);
    come_together(where, "barrier", ranks);
    if (ranks) meet(*ranks, "the other nodes at a barrier");
  });
}

void tsk_bcast(const char* where, void* value, long bytes, const tsk_ref* from, const tsk_ref* on, int sides,
               long) {
  at(where, [&] {
    const std::vector<int> members = members_of(on);
    const auto ranks = ranks_of(on);
    come_together(where, "bcast", ranks);
    if (!ranks) return;
    const std::vector<int> roots = from ? members_of(from) : members;
    if (roots.empty()) throw Error("bcast is from no node", "name one");
    if (!ranks->place_of(roots.front()))
      throw Error("bcast is from rank " + std::to_string(roots.front()) + ", which is none of its nodes",
                  "name one of those behind on");
    const int root = *ranks->place_of(roots.front());
    RunTime& run_time = RunTime::now();
    const bool device = (sides & TSK_DEVICE) && run_time.apart();
    if (!device || (sides & TSK_HOST)) broadcast(*ranks, value, bytes, root);
    if (!device) return;
    Present& present = run_time.part<Present>();
    Present::Entry* const entry = present.find(value, bytes, "what bcast names");
    if (!entry)
      throw Error("what bcast names is not present on the device", "bring it over by a data clause before");
    char* const there = entry->device + (static_cast<char*>(value) - entry->host);
    std::vector<char> own(static_cast<std::size_t>(bytes));
    copy_to_host(run_time.accelerator(), own.data(), there, own.size());
    broadcast(*ranks, own.data(), bytes, root);
    copy_to_device(run_time.accelerator(), there, own.data(), own.size());
  });
}

void tsk_bcast_section(const char* where, const tsk_section* section, const tsk_ref* from, const tsk_ref* on,
                       int sides, long async) {
  at(where, [&] {
    if ((sides & TSK_DEVICE) && RunTime::now().apart())
      throw Error("bcast of a section on the device", "name the whole variable, or let the host do it");
    std::vector<char> dense = packed(*section);
    tsk_bcast(where, dense.data(), static_cast<long>(dense.size()), from, on, TSK_HOST, async);
    unpack(*section, dense.data());
  });
}

void tsk_reduce(const char* where, const tsk_ref* on, int op, int type, void* value, long count, long) {
  at(where, [&] {
    const Fold fold = fold_of(op, type);
    const long size = size_of(type), bytes = count * size;
    const std::vector<int> members = members_of(on, true);
    const auto ranks = ranks_of(on, true);
    come_together(where, "reduction", ranks);
    if (!ranks || ranks->size() == 1) return;
    if (is_whole(type)) {
      fold_all(*ranks, value, bytes, [&](char* into, const char* from) {
        for (long i = 0; i < count; ++i) fold(into + i * size, from + i * size);
      });
      return;
    }
    const std::vector<char> all = gathered(*ranks, members, value, bytes);
    auto* const into = static_cast<char*>(value);
    std::memcpy(into, all.data(), static_cast<std::size_t>(bytes));
    for (std::size_t k = 1; k < members.size(); ++k)
      for (long i = 0; i < count; ++i)
        fold(into + i * size, all.data() + static_cast<long>(k) * bytes + i * size);
  });
}

void tsk_reduce_location(const char* where, const tsk_ref* on, int op, int type, void* value, int locations,
                         const tsk_location* location, int found, int depth, const long* place) {
  at(where, [&] {
    const auto ranks = ranks_of(on, true);
    come_together(where, "reduction", ranks);
    if (!ranks) return;
    // The data of each node: its value, whether it found a location, the location, and the values that belong to it.
    const long size = size_of(type);
    std::vector<char> mine(static_cast<std::size_t>(size));
    std::memcpy(mine.data(), value, mine.size());
    const auto append = [&](const void* from, long bytes) {
      mine.insert(mine.end(), static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
    };
    const long has = found;
    append(&has, sizeof has);
    append(place, depth * static_cast<long>(sizeof(long)));
    for (int k = 0; k < locations; ++k) append(location[k].value, size_of(location[k].type));
    const auto bytes = static_cast<long>(mine.size());
    const std::vector<int> members = members_of(on, true);
    const std::vector<char> all = gathered(*ranks, members, mine.data(), bytes);
    const char* best = nullptr;
    bool best_found = false;
    std::vector<long> best_place;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const char* const other = all.data() + static_cast<long>(k) * bytes;
      long is_found = 0;
      std::vector<long> where_found(static_cast<std::size_t>(depth));
      std::memcpy(&is_found, other + size, sizeof is_found);
      std::memcpy(where_found.data(), other + size + 8, where_found.size() * sizeof(long));
      const int order = best ? compare(type, other, best) : 1;
      bool better = !best || wins(op, order);
      if (best && order == 0 &&
          is_found) // of equal values, one with a location, and of these the first or the last
        better = !best_found || (takes_last(op) ? where_found > best_place : where_found < best_place);
      if (!better) continue;
      best = other;
      best_found = is_found != 0;
      best_place = where_found;
    }
    std::memcpy(value, best, static_cast<std::size_t>(size));
    const char* next = best + size + 8 + depth * 8;
    for (int k = 0; k < locations; ++k) {
      const long of = size_of(location[k].type);
      if (best_found) std::memcpy(location[k].value, next, static_cast<std::size_t>(of));
      next += of;
    }
  });
}

tsk_task tsk_task_begin(const char* where, const tsk_ref* on, int) {
  return at(where, [&] {
    RunTime& run_time = RunTime::now();
    std::vector<int> members = members_of(on);
    const bool mine = std::find(members.begin(), members.end(), run_time.world().rank()) != members.end();
    if (mine) run_time.enter(std::move(members)); // its communicator is created at first use
    return tsk_task{mine, run_time.checking().task_begin()};
  });
}

void tsk_task_end(tsk_task* task) {
  if (!RunTime::runs()) return;
  if (task->mine) RunTime::now().leave();
  RunTime::now().checking().task_end(task->begun);
  task->mine = 0;
}
}

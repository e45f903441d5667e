// Collective operations of nodes: barrier, bcast, reductions, and tasks, which some of the nodes execute.
#include "checking.hpp"
#include "copies.hpp"
#include "numbers.hpp"
#include "objects.hpp"
#include "plans.hpp"
#include "sections.hpp"
#include "sides.hpp"

#include <tasuki/device/exact_sum.hpp>
#include <tasuki/transfer/collectives.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

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

bool wins(int op, int order) {
  return op == TSK_FIRSTMAX || op == TSK_LASTMAX || op == TSK_MAX ? order > 0 : order < 0;
}
bool takes_last(int op) { return op == TSK_LASTMAX || op == TSK_LASTMIN; }

// The ranks of a bcast, and which of them has the value.
struct Bcast {
  Ranks ranks;
  int root;

  // Nothing if the calling rank takes no part.
  static std::optional<Bcast> of(const char* where, const tsk_ref* from, const tsk_ref* on) {
    const std::vector<int> members = members_of(on);
    const auto ranks = ranks_of(on);
    come_together(where, "bcast", ranks);
    if (!ranks) return {};
    const std::vector<int> roots = from ? members_of(from) : members;
    if (roots.empty()) throw Error("bcast is from no node", "name one");
    const auto root = ranks->place_of(roots.front());
    if (!root)
      throw Error("bcast is from rank " + std::to_string(roots.front()) + ", which is none of its nodes",
                  "name one of those behind on");
    return Bcast{*ranks, *root};
  }
};

// The value that wins, with its locations: memory[0] is the value, of `type`, and memory[1 + k] location k, of sizes[k] bytes.
void choose(const Ranks& ranks, const std::vector<int>& members, int op, int type, const Memories& memory,
            const std::vector<long>& sizes, long found, const std::vector<long>& place) {
  // The data of each node: its value, whether it found a location, the place in the loop, and the locations.
  const long size = size_of(type), number = sizeof(long), depth = static_cast<long>(place.size());
  std::vector<char> mine;
  const auto append = [&](const void* from, long bytes) {
    mine.insert(mine.end(), static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
  };
  append(memory[0], size);
  append(&found, number);
  append(place.data(), depth * number);
  for (std::size_t k = 0; k < sizes.size(); ++k) append(memory[1 + k], sizes[k]);
  const auto bytes = static_cast<long>(mine.size());
  const std::vector<char> all = gathered(ranks, members, mine.data(), bytes);
  const char* best = nullptr;
  bool best_found = false;
  std::vector<long> best_place;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const char* const other = all.data() + static_cast<long>(k) * bytes;
    long is_found = 0;
    std::vector<long> where_found(place.size());
    std::memcpy(&is_found, other + size, sizeof is_found);
    std::memcpy(where_found.data(), other + size + number, where_found.size() * sizeof(long));
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
  std::memcpy(memory[0], best, static_cast<std::size_t>(size));
  const char* next = best + size + number + depth * number;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (best_found) std::memcpy(memory[1 + k], next, static_cast<std::size_t>(sizes[k]));
    next += sizes[k];
  }
}

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
    const auto bcast = Bcast::of(where, from, on);
    if (!bcast) return;
    on_sides(sides, {{value, bytes, (sides & TSK_NUMBER) != 0}}, "what bcast names",
             [&](const Memories& memory) { broadcast(bcast->ranks, memory[0], bytes, bcast->root); });
  });
}

void tsk_bcast_section(const char* where, const tsk_section* section, const tsk_ref* from, const tsk_ref* on,
                       int sides, long) {
  at(where, [&] {
    const auto bcast = Bcast::of(where, from, on);
    if (!bcast) return;
    char* const base = section->coarray ? section->coarray->at : static_cast<char*>(section->at);
    const Span span = span_of(*section);
    on_sides(sides, {{base + span.first, span.bytes}}, "what bcast names", [&](const Memories& memory) {
      std::vector<char> dense = packed(*section, memory[0] - span.first);
      broadcast(bcast->ranks, dense.data(), static_cast<long>(dense.size()), bcast->root);
      unpack(*section, dense.data(), memory[0] - span.first);
    });
  });
}

void tsk_reduce(const char* where, const tsk_ref* on, int op, int type, void* value, long count, int sides,
                long) {
  at(where, [&] {
    const Fold fold = fold_of(op, type);
    const long size = size_of(type), bytes = count * size;
    const std::vector<int> members = members_of(on, true);
    const auto ranks = ranks_of(on, true);
    RunTime::now().part<Copies>().reduces(value);
    come_together(where, "reduction", ranks);
    if (!ranks) return;
    if (!is_whole(type) && (op == TSK_SUM || op == TSK_DIFFERENCE || op == TSK_PRODUCT) &&
        RunTime::now().exact_sums())
      throw Error("--deterministic: the last bits of this reduction depend on the number of ranks",
                  "compile it with `tasuki cc --deterministic`, or start it without the option");
    if (ranks->size() == 1) return;
    on_sides(sides, {{value, bytes, (sides & TSK_NUMBER) != 0}}, "what reduction names",
             [&](const Memories& memory) {
               char* const into = memory[0];
               if (is_whole(type)) {
                 fold_all(*ranks, into, bytes, [&](char* some, const char* from) {
                   for (long i = 0; i < count; ++i) fold(some + i * size, from + i * size);
                 });
                 return;
               }
               const std::vector<char> all = gathered(*ranks, members, into, bytes);
               std::memcpy(into, all.data(), static_cast<std::size_t>(bytes));
               for (std::size_t k = 1; k < members.size(); ++k)
                 for (long i = 0; i < count; ++i)
                   fold(into + i * size, all.data() + static_cast<long>(k) * bytes + i * size);
             });
  });
}

void tsk_exact_add(tsk_exact* sum, double part) {
  if (part == 0) return;
  if (++sum->taken > 1L << 30) { // a digit has room for 2^31 parts
    exact_carry(sum->digit);
    sum->taken = 1;
  }
  exact_split(part, [&](int at, long long amount) { sum->digit[at] += amount; });
}

double tsk_reduce_exact(const char* where, const tsk_ref* on, tsk_exact* sum) {
  static_assert(std::size(tsk_exact{}.digit) == ExactSum::kSize);
  return at(where, [&] {
    const auto ranks = ranks_of(on, true);
    come_together(where, "reduction", ranks);
    if (ranks && ranks->size() > 1) {
      exact_carry(sum->digit);
      fold_all(*ranks, sum->digit, sizeof sum->digit, [](char* into, const char* from) {
        for (std::size_t k = 0; k < ExactSum::kSize; ++k) {
          long long a = 0, b = 0;
          std::memcpy(&a, into + k * sizeof a, sizeof a);
          std::memcpy(&b, from + k * sizeof b, sizeof b);
          a += b;
          std::memcpy(into + k * sizeof a, &a, sizeof a);
        }
      });
    }
    return exact_value(sum->digit);
  });
}

void tsk_reduce_location(const char* where, const tsk_ref* on, int op, int type, void* value, int locations,
                         const tsk_location* location, int found, int depth, const long* place, int sides,
                         long) {
  at(where, [&] {
    const std::vector<int> members = members_of(on, true);
    const auto ranks = ranks_of(on, true);
    come_together(where, "reduction", ranks);
    if (!ranks) return;
    std::vector<OwnMemory> all{{value, size_of(type), (sides & TSK_NUMBER) != 0}};
    std::vector<long> sizes;
    for (int k = 0; k < locations; ++k) {
      sizes.push_back(size_of(location[k].type));
      all.push_back({location[k].value, sizes.back(), true});
    }
    on_sides(sides, all, "what reduction names", [&](const Memories& memory) {
      choose(*ranks, members, op, type, memory, sizes, found, std::vector<long>(place, place + depth));
    });
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

// Loops of SMint: which iterations a process does, and the sections that are brought before.
#include "shared.h"
#include "state.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using tasuki::Error;

const char* under_way = nullptr; // where the loop stands that is being done

using Runs = std::vector<std::pair<long long, long long>>;

void add(Runs& runs, long long from, long long to) {
  if (from == to) return;
  if (!runs.empty() && runs.back().second == from)
    runs.back().second = to;
  else
    runs.push_back({from, to});
}

void keep(sms_loop* loop, const Runs& runs) {
  loop->number = static_cast<int>(runs.size());
  loop->runs = static_cast<long long(*)[2]>(std::malloc((runs.size() + 1) * sizeof *loop->runs));
  if (!loop->runs)
    throw Error(std::string(loop->where) + ": there is no memory left", "make the loop smaller");
  for (std::size_t k = 0; k < runs.size(); k++)
    loop->runs[k][0] = runs[k].first, loop->runs[k][1] = runs[k].second;
}

// Iterations 0 to count - 1 write elements first, first + step, ..: those whose element is this rank's.
Runs own_runs(const tasuki::space::Map& map, long first, long step, long long count, int rank) {
  Runs runs;
  if (step < 0) { // from the other end, where elements ascend
    runs = own_runs(map, first + static_cast<long>(count - 1) * step, -step, count, rank);
    std::reverse(runs.begin(), runs.end());
    for (auto& [from, to] : runs) from = count - std::exchange(to, count - from);
    return runs;
  }
  for (long long k = 0; k < count;) {
    const long element = first + static_cast<long>(k) * step;
    const long long many =
        step == 0 ? count - k
                  : std::min<long long>(count - k, (map.same_until(element) - element + step - 1) / step);
    if (map.owner(element) == rank) add(runs, k, k + std::max(many, 1LL));
    k += std::max(many, 1LL);
  }
  return runs;
}

} // namespace

extern "C" {

void sms_loop_begin(const char* where, sms_loop* loop, long long first, long long bound, long long step,
                    int settled) {
  if (!tasuki::sms::runs())
    throw Error(std::string(where) + ": nothing has begun the program",
                "compile the file that has main by tasuki cc together with this one");
  if (under_way)
    throw Error(std::string(where) + ": a parallel for inside of another, of " + under_way,
                "leave one of them out");
  if (step == 0) throw Error(std::string(where) + ": the loop's step is 0", "give it another");
  const long long count = step > 0 ? (bound > first ? (bound - first + step - 1) / step : 0)
                                   : (first > bound ? (first - bound - step - 1) / -step : 0);
  *loop = {where, first, step, count, 0, 0, 0, first + count * step, nullptr, 0, 0};
  if (!settled) sms_sync(); // others may still read what this loop writes
  under_way = where;
}

void sms_loop_even(sms_loop* loop) {
  Runs runs;
  add(runs, loop->count * sms_rank / sms_nprocs, loop->count * (sms_rank + 1) / sms_nprocs);
  keep(loop, runs);
}

void sms_loop_owner(sms_loop* loop, const void* first, const void* second, int asked) {
  if (loop->count == 0) return keep(loop, {});
  const tasuki::Space& space = tasuki::sms::space();
  if (!space.has(first))
    throw Error(
        std::string(loop->where) + ": this loop writes what is not shared, so each process has its own",
        "declare it with `#pragma SMint shared`, or take it from sms_mapalloc");
  const tasuki::Space::Placed place = space.find(first);
  const long bytes = static_cast<long>(place.map->element_bytes());
  const long byte = static_cast<const char*>(first) - place.start;
  const long apart = static_cast<long>(static_cast<const char*>(second) - static_cast<const char*>(first));
  const long element = byte / bytes;
  const long last = static_cast<long>((byte + (loop->count - 1) * apart) / bytes);
  if (last < 0 || last >= place.map->elements())
    throw Error(std::string(loop->where) + ": the loop goes beyond the end of " + place.name,
                "look at its bounds");
  const bool on_one = place.map->same_until(0) == place.map->elements();
  if ((on_one && !asked) || apart % bytes != 0) return sms_loop_even(loop);
  keep(loop, own_runs(*place.map, element, apart / bytes, loop->count, sms_rank));
}

int sms_loop_next(sms_loop* loop) {
  if (loop->turn == loop->number) return 0;
  const long long* const run = loop->runs[loop->turn++];
  loop->first = loop->start + run[0] * loop->step;
  loop->last = loop->start + (run[1] - 1) * loop->step;
  loop->end = loop->last + loop->step;
  return 1;
}

void sms_loop_end(sms_loop* loop) {
  std::free(loop->runs);
  under_way = nullptr;
  sms_sync();
}

void sms_bring(const char* where, const void* at, int axes, const unsigned long whole[], const long part[],
               unsigned long bytes, int write, int keep) {
  tasuki::Space& space = tasuki::sms::space();
  if (!space.has(at))
    throw Error(std::string(where) + ": this section is of no shared array",
                "declare the array with `#pragma SMint shared`, or leave the clause out");
  const tasuki::Space::Placed place = space.find(at);
  std::vector<std::size_t> extents(whole, whole + axes), count;
  std::size_t row = bytes;
  for (std::size_t a = 1; a < extents.size(); a++) row *= extents[a];
  if (extents[0] == 0)
    extents[0] =
        (place.map->bytes() - static_cast<std::uint64_t>(static_cast<const char*>(at) - place.start)) /
        row; // of a pointer
  std::size_t offset = 0;
  const long* const other = part + 2 * axes;
  for (int a = 0; a < axes; a++) {
    const long all = static_cast<long>(extents[static_cast<std::size_t>(a)]);
    long from = std::min(part[2 * a], other[2 * a]);
    long to = std::max(part[2 * a] + part[2 * a + 1], other[2 * a] + other[2 * a + 1]);
    if (part[2 * a + 1] == -1) from = 0, to = all;
    if (from < 0 || to > all || to < from)
      throw Error(std::string(where) + ": a section has elements " + std::to_string(from) + " to " +
                      std::to_string(to - 1) + " of axis " + std::to_string(a) + " of " + place.name +
                      ", which has " + std::to_string(all),
                  "let it end within its array");
    offset = offset * static_cast<std::size_t>(all) + static_cast<std::size_t>(from);
    count.push_back(static_cast<std::size_t>(to - from));
  }
  if (std::find(count.begin(), count.end(), 0u) != count.end()) return;
  space.preload(static_cast<const char*>(at) + offset * bytes, extents, count, bytes, write != 0, keep != 0);
}
}

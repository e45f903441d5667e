// Arrays of random programs, each beside a plain array that holds what every rank has to read: who writes which byte in a phase,
// what lies under a lock, what is copied from where. All ranks draw the same plan.
//
//   Bytes a(space, random_map(numbers, ranks, 100000), "a");
//   a.claim(b, who);      // in this phase `who` alone writes byte b; false where it is another's, or under a lock
//   a.plain[b] = 7;       // what all read behind the next synchronisation
//   a.fresh();            // a new phase
#pragma once

#include <tests/space/spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tasuki::test {

// One to three axes, cut along any of them, parts in turn on some of the ranks or on one, at pages where `page` is given.
inline space::Map random_map(Random& numbers, int ranks, long elements, std::size_t page) {
  const long rows = std::min(elements, pick(numbers, 2, 40));
  std::vector<long> extents{rows, elements / rows};
  if (pick(numbers, 0, 2) == 0) extents = {rows, pick(numbers, 2, 9), 0};
  if (extents.size() == 3) extents[2] = std::max(1L, elements / (extents[0] * extents[1]));
  if (pick(numbers, 0, 5) == 0) extents = {elements};
  std::vector<long> parts(extents.size(), 1);
  parts[0] = std::min(extents[0], pick(numbers, 1, 2L * ranks));
  for (std::size_t a = 1; a < extents.size(); ++a)
    if (pick(numbers, 0, 3) == 0) parts[a] = std::min(extents[a], pick(numbers, 2, 3));
  const int first = static_cast<int>(pick(numbers, 0, ranks - 1));
  const int on = static_cast<int>(pick(numbers, 1, ranks - first));
  if (pick(numbers, 0, 4)) return {std::move(extents), parts, 1, first, on};
  constexpr long kRow = 1024; // so that rows begin at pages
  const long pages = std::max(1L, elements / static_cast<long>(page)),
             all = pages * static_cast<long>(page) / kRow;
  return {{all, kRow}, {std::min(pages, pick(numbers, 1, 2L * ranks)), 1}, 1, first, on, page};
}

struct Bytes {
  Bytes(Space& space, const space::Map& its_map, const std::string& name, bool devices)
      : map(its_map),
        over_devices(devices),
        shared(devices ? space.array<unsigned char>(map.extents(), map, name, Memory::device)
                       : space.array<unsigned char>(map.extents(), map, name)),
        plain(shared.size(), 0),
        writer(shared.size(), 0),
        locked(shared.size(), 0),
        stays(shared.size(), false) {}

  long size() const { return static_cast<long>(shared.size()); }
  unsigned char* at(long byte) const { return shared.data() + byte; }

  void fresh() {
    std::fill(writer.begin(), writer.end(), 0);
    std::fill(stays.begin(), stays.end(), false);
  }
  // `who` from 0.
  bool claim(long byte, int who) {
    const auto k = static_cast<std::size_t>(byte);
    if (locked[k] || stays[k] || (writer[k] && writer[k] != who + 1)) return false;
    writer[k] = static_cast<unsigned char>(who + 1);
    return true;
  }
  bool writes(long byte, int who) const { return writer[static_cast<std::size_t>(byte)] == who + 1; }
  // Whether `who` may look at it while others write.
  bool steady(long byte, int who) const {
    const auto k = static_cast<std::size_t>(byte);
    return !locked[k] && (!writer[k] || writer[k] == who + 1);
  }
  // From here on nobody writes these bytes in this phase. False, and nothing is done, where somebody does.
  bool keep(long first, long count) {
    for (long b = first; b < first + count; ++b)
      if (const auto k = static_cast<std::size_t>(b); locked[k] || writer[k]) return false;
    std::fill_n(stays.begin() + first, count, true);
    return true;
  }
  // The way of the processor, by which arrays over devices are written and read too: bytes first to end, as value(byte) says.
  template <class Value>
  void store(long first, long end, const Value& value) const {
    if (!over_devices) {
      for (long b = first; b < end; ++b) *at(b) = value(b);
      return;
    }
    std::vector<unsigned char> all;
    for (long b = first; b < end; ++b) all.push_back(value(b));
    shared.space().copy(at(first), all.data(), all.size());
  }
  // The first of these bytes, which ascend, that is not what the plain array has, of those that count(byte) names; -1: none.
  template <class Counts>
  long first_wrong(const std::vector<long>& bytes, const Counts& counts) const {
    std::vector<unsigned char> all;
    if (over_devices && !bytes.empty()) {
      all.resize(static_cast<std::size_t>(bytes.back() - bytes.front() + 1));
      shared.space().copy(all.data(), at(bytes.front()), all.size());
    }
    for (const long b : bytes) {
      if (!counts(b)) continue;
      const unsigned char is = over_devices ? all[static_cast<std::size_t>(b - bytes.front())] : *at(b);
      if (is != plain[static_cast<std::size_t>(b)]) return b;
    }
    return -1;
  }

  space::Map map;
  bool over_devices;
  Global<unsigned char> shared;
  std::vector<unsigned char> plain;
  std::vector<unsigned char> writer; // of each byte in this phase, from 1; 0: nobody
  std::vector<unsigned char> locked; // by which lock, from 1; 0: none
  std::vector<bool> stays;           // nobody may write it in this phase
};

// A run of bytes, mostly a short one.
inline std::pair<long, long> random_run(Random& from, long bytes, long longest = 20000) {
  const long first = pick(from, 0, bytes - 1);
  return {first, std::min(bytes, first + pick(from, 1, pick(from, 0, 3) ? 200 : longest))};
}

// A box of a map's elements: the first one, its extents, and each of its elements.
struct Box {
  long first = 0;
  std::vector<std::size_t> whole, part;
  std::vector<long> elements;
};

inline Box random_box(Random& from, const space::Map& map, long widest) {
  Box box;
  const std::vector<long>& extents = map.extents();
  std::vector<long> elements{0};
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const long low = pick(from, 0, extents[a] - 1);
    const long count = pick(from, 1, std::min(extents[a] - low, a + 1 == extents.size() ? widest : 5L));
    box.whole.push_back(static_cast<std::size_t>(extents[a]));
    box.part.push_back(static_cast<std::size_t>(count));
    box.first = box.first * extents[a] + low;
    std::vector<long> more;
    for (const long before : elements)
      for (long k = low; k < low + count; ++k) more.push_back(before * extents[a] + k);
    elements = std::move(more);
  }
  box.elements = std::move(elements);
  return box;
}

} // namespace tasuki::test

// The ways to run one program that must not change a bit of its result.
#pragma once

#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tasuki::test {

struct Variant {
  std::vector<int> ranks; // process grid
  const char* executor;
  const char* channel;
  int halo;

  std::string name() const {
    std::ostringstream text;
    text << executor << ", channel '" << channel << "', halo " << halo << ", ranks";
    for (const int r : ranks) text << " " << r;
    return text.str();
  }
  std::unique_ptr<World> world() const {
    return world_with([this](Settings& s) {
      s.ranks = ranks;
      s.executor = executor;
      s.channel = channel;
      s.halo = halo;
    });
  }
};

inline void process_grids(int size, std::size_t dims, std::vector<int> begun,
                          std::vector<std::vector<int>>& all) {
  if (begun.size() + 1 == dims) {
    begun.push_back(size);
    all.push_back(begun);
    return;
  }
  for (int r = 1; r <= size; ++r) {
    if (size % r != 0) continue;
    auto next = begun;
    next.push_back(r);
    process_grids(size / r, dims, next, all);
  }
}

// Every process grid of this world, with each executor, channels forced and mixed, and halos of several
// depths, as far as the blocks have room for them. Where there are many grids each goes some of the ways, and
// all ways are gone.
inline std::vector<Variant> variants(const std::vector<long>& extents) {
  std::vector<std::vector<int>> grids;
  process_grids(world().size(), extents.size(), {}, grids);
  const Variant ways[] = {{{}, "eager", "", 1},           {{}, "overlapped", "", 2},
                          {{}, "eager", "mpi", 3},        {{}, "overlapped", "", 3},
                          {{}, "overlapped", "y=mpi", 1}, {{}, "overlapped", "mpi", 2},
                          {{}, "resident", "", 1},        {{}, "resident", "x=mpi", 2}};
  const std::size_t each = grids.size() > 4 ? 3 : std::size(ways);
  std::vector<Variant> list;
  for (std::size_t g = 0; g < grids.size(); ++g)
    for (std::size_t w = 0; w < each; ++w) {
      Variant way = ways[(g + w) % std::size(ways)];
      bool fits = true;
      // A kernel that stays trades halos by itself, so a GPU's has no say in how they travel.
      if (device().cuda() && std::strcmp(way.executor, "resident") == 0) way.channel = "";
      for (std::size_t a = 0; a < extents.size(); ++a) fits = fits && extents[a] / grids[g][a] >= way.halo;
      way.ranks = grids[g];
      if (fits) list.push_back(way);
    }
  return list;
}

// On rank 0, which alone has the cells. x is the fastest axis.
template <class T>
void expect_same_bits(const std::vector<T>& got, const std::vector<T>& want) {
  if (world().rank() != 0) return;
  ASSERT_EQ(got.size(), want.size());
  if (std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0) return;
  std::size_t at = 0;
  while (std::memcmp(&got[at], &want[at], sizeof(T)) == 0) ++at;
  ADD_FAILURE() << "cell " << at << " is " << got[at] << ", not " << want[at];
}

// The first values, computed by hand: to the last bit on the host; a GPU has its own sin and cos.
template <class T>
void expect_first_values(const std::vector<T>& got, const std::vector<T>& want) {
  if (!device().cuda()) return expect_same_bits(got, want);
  if (world().rank() != 0) return;
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t at = 0; at < want.size(); ++at) ASSERT_NEAR(got[at], want[at], 1e-6) << "cell " << at;
}

} // namespace tasuki::test

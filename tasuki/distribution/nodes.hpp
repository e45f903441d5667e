// Nodes: ranks as a grid, the last dimension fastest, numbered from 0 in that order.
//
//   const Nodes p({2, 3}, {0, 1, 2, 3, 4, 5});                   // nodes p[2][3] over six ranks
//   p.number({1, 0});                                            // 3
//   part(p, {{Subscript::all()}, {Subscript::one(1)}});          // {1, 4}: p[:][1]
#pragma once

#include <tasuki/distribution/progression.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// One dimension of a reference p[..] or t[..].
struct Subscript {
  enum class Kind {
    one,   // a single index
    range, // a section of indices
    all,   // ":"
    own,   // "*": for nodes, the coordinate of the asking rank
  };
  Kind kind = Kind::all;
  Progression indices = {};

  static Subscript one(long index) { return {Kind::one, {index, 1, 1}}; }
  static Subscript range(const Progression& indices) { return {Kind::range, indices}; }
  static Subscript all() { return {}; }
  static Subscript own() { return {Kind::own, {}}; }
  // The selected ones of these indices; `own` selects all of them.
  Progression of(const Progression& whole) const {
    return kind == Kind::one || kind == Kind::range ? indices : whole;
  }
};
using Subscripts = std::vector<Subscript>;

using Coordinates = std::vector<int>;

class Nodes {
public:
  Nodes() = default;
  // `members`: the rank of each node. Throws Error if their number is not the product of the extents.
  Nodes(std::vector<int> extents, std::vector<int> members);

  int dims() const { return static_cast<int>(extents_.size()); }
  int extent(int dim) const { return extents_[static_cast<std::size_t>(dim)]; }
  const std::vector<int>& extents() const { return extents_; }
  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<int>& members() const { return members_; }
  int rank(int number) const { return members_[static_cast<std::size_t>(number)]; }
  std::optional<int> number_of(int rank) const; // nothing if the rank is not a node

  int number(const Coordinates& at) const;
  Coordinates coordinates(int number) const;
  friend bool operator==(const Nodes&, const Nodes&) = default;

private:
  std::vector<int> extents_, members_;
};

// The numbers of the nodes that a reference selects, in the order of its subscripts. `own`: the
// number of the asking node, for subscripts "*". Throws Error if a subscript is outside, if their
// number is not that of the dimensions, and for "*" if the asking rank is not a node.
std::vector<int> part(const Nodes& nodes, const Subscripts& subscripts, std::optional<int> own = {});

// The extents of nodes over this many ranks: an extent below 1 is free, and the slowest free one gets the ranks
// that the others leave. `wish(k)`: the extent of the k-th of the other free ones, the fastest first; 0: no wish,
// and the extent is 1. On one rank, if any extent is free, all extents are 1, so that the program
// also runs serially. Throws Error with the numbers if the product of the extents is not the number of ranks.
template <class Wish>
std::vector<int> filled(std::vector<int> extents, int ranks, const Wish& wish);
std::vector<int> filled_one(std::vector<int> extents, int ranks); // one is free at most

template <class Wish>
std::vector<int> filled(std::vector<int> extents, int ranks, const Wish& wish) {
  std::size_t slowest = 0;
  while (slowest < extents.size() && extents[slowest] >= 1) ++slowest;
  int free = 0;
  for (std::size_t d = extents.size(); d-- > slowest + 1;)
    if (extents[d] < 1) {
      const int wished = wish(free++);
      extents[d] = wished > 0 ? wished : 1;
    }
  return filled_one(std::move(extents), ranks);
}

} // namespace tasuki

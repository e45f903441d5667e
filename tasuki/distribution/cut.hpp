// A cut distributes the indices of an axis over nodes: the owner of an index, its place, a node's part of a section.
//
//   const Cut cut({0, 10}, block(), 4);    // 0-2 3-5 6-8 9: a block is ceil(10 / 4), the last one is shorter
//   cut.owner(7);                          // 2
//   cut.place(7);                          // 1: the second index of node 2
//   cut.held(1, {0, 4, 3});                // of 0 3 6 9, node 1 holds 3: {{3, 1, 1}}
//
// The formats are those of XcalableMP (specification 1.4, 4.3.3). A node may have no indices.
#pragma once

#include <tasuki/distribution/progression.hpp>

#include <string>
#include <vector>

namespace tasuki {

struct Format {
  enum class Kind {
    whole,  // "*": not cut, there is one node
    block,  // the first `width` to node 0, the next to node 1, ..; 0: ceil(count / nodes)
    cyclic, // pieces of `width` indices to the nodes in turn
    gblock, // sizes[k] to node k
  };
  Kind kind = Kind::whole;
  long width = 0;
  std::vector<long> sizes = {};
  friend bool operator==(const Format&, const Format&) = default;
};
inline Format whole() { return {}; }
inline Format block(long width = 0) { return {Format::Kind::block, width, {}}; }
inline Format cyclic(long width = 1) { return {Format::Kind::cyclic, width, {}}; }
inline Format gblock(std::vector<long> sizes) { return {Format::Kind::gblock, 0, std::move(sizes)}; }
std::string to_string(const Format& format); // "block(3)"

// Indices first .. first + count - 1.
struct Extent {
  long first = 0, count = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

class Cut {
public:
  Cut() = default;
  // Throws Error if blocks do not reach the end, for a negative width, or without one size of 0 or more for each node.
  Cut(const Extent& extent, const Format& format, int nodes);

  const Extent& extent() const { return extent_; }
  int nodes() const { return nodes_; }
  Format::Kind kind() const { return kind_; }
  long width() const { return width_; } // of blocks and of cyclic pieces
  // True if the indices of every node are consecutive.
  bool linear() const { return kind_ != Format::Kind::cyclic || nodes_ == 1; }

  bool has(long index) const { return index >= extent_.first && index < extent_.first + extent_.count; }
  int owner(long index) const;            // of an index of the extent
  long place(long index) const;           // the place in its owner's memory, from 0
  long index(int node, long place) const; // the inverse
  long count(int node) const;             // number of indices that a node owns
  long least(int node) const;             // a node's first index; the end of the extent if it has none
  long greatest(int node) const;          // its last index; one below least() if it has none

  // The indices of a section that a node holds: ascending, in runs along which the place also
  // increases in equal steps. Cyclic pieces of width 1 give one run, wider ones one run per piece.
  std::vector<Progression> runs(int node, const Progression& section) const;
  // The same in as few progressions as possible, in any order; the places of each are in equal steps too.
  std::vector<Progression> held(int node, const Progression& section) const;

private:
  std::vector<Progression> residues(int node, const Progression& section) const;
  Extent extent_{};
  Format::Kind kind_ = Format::Kind::whole;
  int nodes_ = 1;
  long width_ = 0;
  std::vector<long> starts_; // of gblock, from 0: the start of each node, and the end
};

} // namespace tasuki

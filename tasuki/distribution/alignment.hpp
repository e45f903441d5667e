// An alignment of an array with a template determines which node holds an element, and its place there.
//
//   // double a[90][100]; align a[i][*] with t[i + 5][*]
//   const Alignment a({90, 100}, t, {with(0, 5), not_aligned()});
// a.axes()[0].owner(17);       // the owner of index 22 of t
// a.owners({17, 3});           // numbers of the nodes that hold a[17][3]: one, or several copies
//
// If no dimension of the array is aligned with a dimension of the template, the nodes along it hold copies.
#pragma once

#include <tasuki/distribution/template.hpp>

#include <vector>

namespace tasuki {

// The target of a dimension of an array.
struct Along {
  int dim = -1; // of the template; below 0: none, so every node holds the whole dimension
  long offset = 0;
};
inline Along with(int dim, long offset = 0) { return {dim, offset}; }
inline Along not_aligned() { return {}; }

// One dimension of an aligned array: indices 0 .. count - 1; index i is at i + offset of the cut.
class AlignedAxis {
public:
  AlignedAxis(long count, const Cut& cut, long offset, int node_dim)
      : count_(count), offset_(offset), node_dim_(node_dim), cut_(cut) {}

  long extent() const { return count_; }
  int node_dim() const { return node_dim_; } // below 0: not distributed
  const Cut& cut() const { return cut_; }
  long offset() const { return offset_; }
  bool linear() const { return cut_.linear(); }

  int owner(long index) const { return cut_.owner(index + offset_); }
  long count(int node) const;   // the number of the array's indices that it owns
  long least(int node) const;   // its first index; 0 if there is none
  long end(int node) const;     // one past its last index; least() if there is none
  long place(long index) const; // the place in its owner's memory, from 0
  std::vector<Progression> held(int node, const Progression& section) const; // as Cut::held()
  std::vector<Progression> runs(int node, const Progression& section) const;

private:
  Progression own(int node) const;
  std::vector<Progression> back(std::vector<Progression> list) const;
  long count_, offset_;
  int node_dim_;
  Cut cut_;
};

class Alignment {
public:
  Alignment() = default;
  // Throws Error if two dimensions are aligned with the same one of the template, or if the array exceeds the template.
  Alignment(const std::vector<long>& extents, const Template& t, const std::vector<Along>& along);

  int dims() const { return static_cast<int>(axes_.size()); }
  const std::vector<AlignedAxis>& axes() const { return axes_; }
  const Nodes& nodes() const { return nodes_; }

  // The coordinate of a node along a dimension of the array: 0 if it is not distributed.
  int coordinate(int node, int dim) const;
  bool holds(int node, const std::vector<long>& index) const;
  std::vector<int> owners(const std::vector<long>& index) const; // ascending; more than one: copies
  long elements(int node) const;

private:
  std::vector<AlignedAxis> axes_;
  Nodes nodes_;
};

} // namespace tasuki

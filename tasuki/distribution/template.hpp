// A template: an index space without memory that is cut over nodes, and with which arrays and loops are aligned.
//
//   Template t({{0, 100}, {0, 100}});                 // template t[100][100]
//   t.distribute(p, {block(), cyclic(4)});            // distribute t[block][cyclic(4)] onto p
//   t.axes()[1].cut.owner(17);                        // of index 17 along dimension 1: a coordinate of p
//   owners(t, {Subscript::one(3), Subscript::all()}); // the nodes that hold some of t[3][:]
#pragma once

#include <tasuki/distribution/cut.hpp>
#include <tasuki/distribution/nodes.hpp>

#include <vector>

namespace tasuki {

class Template {
public:
  struct Axis {
    Cut cut;
    int node_dim = -1; // of the nodes; below 0: not distributed
  };

  Template() = default;
  explicit Template(std::vector<Extent> extents) : extents_(std::move(extents)) {}

  // As many formats as dimensions, and as many that are not "*" as the nodes have dimensions; else throws Error.
  void distribute(const Nodes& onto, const std::vector<Format>& formats);

  int dims() const { return static_cast<int>(extents_.size()); }
  const std::vector<Extent>& extents() const { return extents_; }
  bool distributed() const { return !axes_.empty(); }
  const std::vector<Axis>& axes() const { return axes_; } // none before distribute()
  const Nodes& nodes() const { return nodes_; }

private:
  std::vector<Extent> extents_;
  std::vector<Axis> axes_;
  Nodes nodes_;
};

// The numbers, ascending, of the nodes that hold a part of the referenced indices; ":" and "*" select all
// nodes along a dimension, also those without indices. Throws Error if the template is not
// distributed, if the number of subscripts is not that of the dimensions, or if a subscript is outside.
std::vector<int> owners(const Template& t, const Subscripts& subscripts);

} // namespace tasuki

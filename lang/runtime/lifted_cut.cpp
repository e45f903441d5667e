// The distribution of a time loop's arrays as the decomposition of a grid.
#include "lifted.hpp"

#include <algorithm>

namespace tasuki::xmp {

Cutting cutting_of(const Asked& asked, World& world) {
  Cutting made;
  Decomposition& cut = made.cut;
  const Alignment& first = asked.arrays.front()->array->alignment();
  const std::vector<int> dims = Asked::axes_of(*asked.arrays.front());
  const auto refuse = [&](std::string why) {
    made.trouble = std::move(why);
    return made;
  };
  cut.dims = static_cast<int>(dims.size());
  if (cut.dims != asked.lift.dims || cut.dims > kMaxDims)
    return refuse("the arrays have other dimensions than the loop");
  int nodes = 1;
  cut.offsets.resize(static_cast<std::size_t>(cut.dims));
  for (int a = 0; a < cut.dims; ++a) {
    const AlignedAxis& axis = first.axes()[static_cast<std::size_t>(dims[static_cast<std::size_t>(a)])];
    if (!axis.linear()) return refuse("an array is cut into cyclic pieces");
    cut.extents[a] = axis.extent();
    cut.ranks[a] = axis.cut().nodes();
    nodes *= cut.ranks[a];
    std::vector<long>& offsets = cut.offsets[static_cast<std::size_t>(a)];
    offsets.push_back(0);
    for (int node = 0; node < cut.ranks[a]; ++node) {
      if (axis.count(node) == 0) return refuse("a node has no cells");
      offsets.push_back(offsets.back() + axis.count(node));
    }
    if (offsets.back() != axis.extent()) return refuse("an array is smaller than its template");
  }
  if (nodes != world.size() || first.nodes().size() != world.size())
    return refuse("arrays are on a part of the ranks, or have copies");
  std::vector<int> rank_of_block(static_cast<std::size_t>(nodes));
  for (int number = 0; number < nodes; ++number) {
    int block = 0;
    for (int a = cut.dims - 1; a >= 0; --a)
      block = block * cut.ranks[a] + first.coordinate(number, dims[static_cast<std::size_t>(a)]);
    rank_of_block[static_cast<std::size_t>(block)] = first.nodes().rank(number);
  }
  cut.map(std::move(rank_of_block));
  for (const ArrayObject* array : asked.arrays) {
    const Alignment& other = array->array->alignment();
    const std::vector<int> its = Asked::axes_of(*array);
    bool alike = its.size() == dims.size() && other.nodes() == first.nodes();
    for (std::size_t a = 0; alike && a < dims.size(); ++a) {
      const AlignedAxis &one = first.axes()[static_cast<std::size_t>(dims[a])],
                        &two = other.axes()[static_cast<std::size_t>(its[a])];
      alike = one.extent() == two.extent() && one.node_dim() == two.node_dim() &&
              one.cut().nodes() == two.cut().nodes();
      for (int node = 0; alike && node < one.cut().nodes(); ++node)
        alike = one.count(node) == two.count(node) && one.least(node) == two.least(node);
    }
    if (!alike) return refuse("its arrays are cut differently");
  }
  return made;
}

Widths reach_of(const Asked& asked, Decomposition& cut, std::string& trouble) {
  Widths reach{};
  for (int n = 0; n < asked.lift.nests; ++n) {
    const tsk_nest& nest = asked.lift.nest[n];
    const Box region = asked.region(n);
    if (region.empty()) trouble = "a loop has no cells";
    for (int k = 0; k < nest.accesses; ++k)
      for (int a = 0; a < cut.dims; ++a) {
        const int lo = nest.access[k].lo[cut.dims - 1 - a], hi = nest.access[k].hi[cut.dims - 1 - a];
        const bool around = nest.access[k].around[cut.dims - 1 - a],
                   inside = region.lo[a] >= 0 && region.hi[a] <= cut.extents[a];
        if (region.lo[a] < lo || region.hi[a] + hi > cut.extents[a]) {
          cut.periodic[a] = true;
          if (!around || !inside) trouble = "a loop goes beyond the ends of its arrays";
        }
        reach[a] = Width(std::max(reach[a].lo, lo), std::max(reach[a].hi, hi));
      }
  }
  for (int a = 0; a < cut.dims; ++a)
    if (cut.exchanges(a) && std::max(reach[a].lo, reach[a].hi) > cut.smallest_block(a))
      trouble = "a loop reads beyond its neighbour's block";
  return reach;
}

} // namespace tasuki::xmp

#include <tasuki/distribution/template.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>

namespace tasuki {

void Template::distribute(const Nodes& onto, const std::vector<Format>& formats) {
  const auto cut = std::count_if(formats.begin(), formats.end(),
                                 [](const Format& f) { return f.kind != Format::Kind::whole; });
  if (static_cast<int>(formats.size()) != dims())
    throw Error("a template of " + std::to_string(dims()) + " dimensions has " +
                    std::to_string(formats.size()) + " formats",
                "give each dimension one");
  if (cut != onto.dims())
    throw Error(std::to_string(cut) + " dimensions are cut over nodes of " + std::to_string(onto.dims()),
                "cut as many as the nodes have, and write * for the others");
  std::vector<Axis> axes;
  for (int d = 0, node_dim = 0; d < dims(); ++d) {
    const Format& format = formats[static_cast<std::size_t>(d)];
    const bool is_cut = format.kind != Format::Kind::whole;
    axes.push_back({Cut(extents_[static_cast<std::size_t>(d)], format, is_cut ? onto.extent(node_dim) : 1),
                    is_cut ? node_dim : -1});
    node_dim += is_cut;
  }
  axes_ = std::move(axes);
  nodes_ = onto;
}

std::vector<int> owners(const Template& t, const Subscripts& subscripts) {
  if (!t.distributed())
    throw Error("a template is not distributed", "distribute it, or fix it, before it is used");
  if (static_cast<int>(subscripts.size()) != t.dims())
    throw Error("a template of " + std::to_string(t.dims()) + " dimensions has " +
                    std::to_string(subscripts.size()) + " subscripts",
                "give each dimension one");
  Subscripts of_nodes(static_cast<std::size_t>(t.nodes().dims()));
  std::vector<std::vector<int>> along(of_nodes.size());
  bool none = false; // of the indices, in a dimension that is not cut, either
  for (int d = 0; d < t.dims(); ++d) {
    const Template::Axis& axis = t.axes()[static_cast<std::size_t>(d)];
    const Extent& extent = axis.cut.extent();
    const Progression some = subscripts[static_cast<std::size_t>(d)].of({extent.first, extent.count, 1});
    for (const long end : {some.first, some.empty() ? some.first : some.last()})
      if (!some.empty() && !axis.cut.has(end))
        throw Error("index " + std::to_string(end) + " is outside of dimension " + std::to_string(d) +
                        " of a template, " + std::to_string(extent.first) + " to " +
                        std::to_string(extent.first + extent.count - 1),
                    "name indices that it has");
    none = none || some.empty();
    if (axis.node_dim < 0) continue;
    const auto kind = subscripts[static_cast<std::size_t>(d)].kind;
    const bool all = kind == Subscript::Kind::all || kind == Subscript::Kind::own;
    for (int node = 0; node < axis.cut.nodes(); ++node)
      if (all || !axis.cut.held(node, some).empty())
        along[static_cast<std::size_t>(axis.node_dim)].push_back(node);
  }
  std::vector<int> numbers;
  for (int number = 0; !none && number < t.nodes().size(); ++number) {
    const Coordinates at = t.nodes().coordinates(number);
    bool in = true;
    for (std::size_t d = 0; d < at.size(); ++d)
      in = in && std::binary_search(along[d].begin(), along[d].end(), at[d]);
    if (in) numbers.push_back(number);
  }
  return numbers;
}

} // namespace tasuki

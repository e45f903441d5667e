#include <tasuki/array/section_moves.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <string>

namespace tasuki {

SectionMoves::End::End(SectionSide given) : side(std::move(given)) {
  const Alignment& alignment = side.alignment;
  if (static_cast<int>(side.slices.size()) != alignment.dims())
    throw Error("a section of an array of " + std::to_string(alignment.dims()) + " dimensions has " +
                    std::to_string(side.slices.size()) + " subscripts",
                "give each dimension one");
  std::vector<bool> taken(static_cast<std::size_t>(alignment.nodes().dims()));
  for (int d = 0; d < alignment.dims(); ++d) {
    const AlignedAxis& axis = alignment.axes()[static_cast<std::size_t>(d)];
    const Slice& slice = side.slices[static_cast<std::size_t>(d)];
    const Progression& all = slice.indices;
    if (all.count < 0)
      throw Error("a section has " + std::to_string(all.count) + " elements", "give it 0 or more");
    for (const long end : {all.first, all.empty() ? all.first : all.last()})
      if (!all.empty() && (end < 0 || end >= axis.extent()))
        throw Error("subscript " + std::to_string(end) + " is outside of dimension " + std::to_string(d) +
                        ", 0 to " + std::to_string(axis.extent() - 1),
                    "name elements that the array has");
    if (!slice.single) counting.push_back(d);
    if (axis.node_dim() >= 0) taken[static_cast<std::size_t>(axis.node_dim())] = true;
    for (int at = 0; at < axis.cut().nodes(); ++at) {
      std::vector<Progression>& numbers = held[{d, at}];
      for (const Progression& own : axis.held(at, all)) numbers.push_back(numbers_in(all, own));
    }
  }
  for (std::size_t dim = 0; dim < taken.size(); ++dim)
    if (!taken[dim]) copied.push_back(static_cast<int>(dim));
  for (int node = 0; node < alignment.nodes().size(); ++node)
    holdings.emplace_back(alignment, side.shadows, side.size, node);
}

const std::vector<Progression>& SectionMoves::End::numbers(int dim, int node) const {
  return held.at({dim, side.alignment.coordinate(node, dim)});
}

Strided SectionMoves::End::box(int node, const std::vector<Progression>& numbers) const {
  const Alignment& alignment = side.alignment;
  const Holding& holding = holdings[static_cast<std::size_t>(node)];
  Strided box;
  box.run = side.size;
  long offset = 0;
  for (int d = 0; d < alignment.dims(); ++d) {
    const Progression& all = side.slices[static_cast<std::size_t>(d)].indices;
    const auto place = std::find(counting.begin(), counting.end(), d);
    const long first =
        place == counting.end() ? 0 : numbers[static_cast<std::size_t>(place - counting.begin())].first;
    offset += holding.cell(alignment, d, all[first]) * holding.axis(d).stride;
  }
  box.base = reinterpret_cast<char*>(offset);
  for (std::size_t k = numbers.size(); k-- > 0;) {
    const Progression& some = numbers[k];
    if (some.count == 1) continue;
    long stride = 0; // stays 0 for a section of single indices: its one element is repeated
    if (!counting.empty()) {
      const int d = counting[k];
      const Progression& all = side.slices[static_cast<std::size_t>(d)].indices;
      stride = (holding.cell(alignment, d, all[some[1]]) - holding.cell(alignment, d, all[some.first])) *
               holding.axis(d).stride;
    }
    box.count[box.levels] = some.count;
    box.stride[box.levels++] = stride;
  }
  return box;
}

SectionMoves::SectionMoves(SectionSide to, SectionSide from) : to_(std::move(to)), from_(std::move(from)) {
  if (to_.side.size != from_.side.size)
    throw Error("elements of " + std::to_string(from_.side.size) + " bytes are assigned to those of " +
                    std::to_string(to_.side.size),
                "give both sides one type");
  if (from_.counting.empty()) return;
  std::string shapes[2];
  bool alike = to_.counting.size() == from_.counting.size();
  for (const End* end : {&to_, &from_})
    for (const int d : end->counting)
      shapes[end == &from_] +=
          "[" + std::to_string(end->side.slices[static_cast<std::size_t>(d)].indices.count) + "]";
  if (!alike || shapes[0] != shapes[1])
    throw Error(
        "a section " + shapes[1] + " is assigned to one " + (shapes[0].empty() ? "element" : shapes[0]),
        "give both sides one shape");
}

bool SectionMoves::is_source_of(int from, int to) const {
  if (from_.copied.empty()) return true;
  const Nodes& nodes = from_.side.alignment.nodes();
  const int rank = to_.side.alignment.nodes().rank(to);
  const Coordinates at = nodes.coordinates(from);
  const auto own = nodes.number_of(rank);
  for (const int dim : from_.copied) {
    const int wish = own ? nodes.coordinates(*own)[static_cast<std::size_t>(dim)] : rank % nodes.extent(dim);
    if (at[static_cast<std::size_t>(dim)] != wish) return false;
  }
  return true;
}

void SectionMoves::each(int to, int from, const std::function<void(const SectionMove&)>& take) const {
  if (!is_source_of(from, to)) return;
  // Both nodes must hold the single indices.
  for (const auto& [end, node] : {std::pair<const End*, int>{&to_, to}, {&from_, from}})
    for (int d = 0; d < end->side.alignment.dims(); ++d)
      if (end->numbers(d, node).empty()) return;
  std::vector<std::vector<Progression>> common;
  for (std::size_t k = 0; k < to_.counting.size(); ++k) {
    const auto& mine = to_.numbers(to_.counting[k], to);
    common.push_back(from_.counting.empty() ? mine : intersect(mine, from_.numbers(from_.counting[k], from)));
    if (common.back().empty()) return;
  }
  std::vector<Progression> chosen(common.size());
  const auto walk = [&](const auto& self, std::size_t k) -> void {
    if (k == common.size()) {
      take({to_.box(to, chosen), from_.box(from, chosen)});
      return;
    }
    for (const Progression& numbers : common[k]) {
      chosen[k] = numbers;
      self(self, k + 1);
    }
  };
  walk(walk, 0);
}

} // namespace tasuki

#include <tasuki/distribution/nodes.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>

namespace tasuki {
namespace {

std::string product(const std::vector<int>& extents) {
  std::string text;
  for (const int extent : extents)
    text += (text.empty() ? "" : " x ") + (extent < 1 ? "*" : std::to_string(extent));
  return text;
}

long times(const std::vector<int>& extents) {
  long all = 1;
  for (const int extent : extents) all *= extent;
  return all;
}

} // namespace

Nodes::Nodes(std::vector<int> extents, std::vector<int> members)
    : extents_(std::move(extents)), members_(std::move(members)) {
  if (times(extents_) != static_cast<long>(members_.size()))
    throw Error("nodes " + product(extents_) + " are " + std::to_string(times(extents_)) + " over " +
                    std::to_string(members_.size()) + " ranks",
                "give them extents that multiply up to " + std::to_string(members_.size()));
}

std::optional<int> Nodes::number_of(int rank) const {
  const auto at = std::find(members_.begin(), members_.end(), rank);
  if (at == members_.end()) return {};
  return static_cast<int>(at - members_.begin());
}

int Nodes::number(const Coordinates& at) const {
  int number = 0;
  for (int d = 0; d < dims(); ++d) number = number * extent(d) + at[static_cast<std::size_t>(d)];
  return number;
}

Coordinates Nodes::coordinates(int number) const {
  Coordinates at(extents_.size());
  for (int d = dims() - 1; d >= 0; --d) {
    at[static_cast<std::size_t>(d)] = number % extent(d);
    number /= extent(d);
  }
  return at;
}

std::vector<int> part(const Nodes& nodes, const Subscripts& subscripts, std::optional<int> own) {
  if (static_cast<int>(subscripts.size()) != nodes.dims())
    throw Error("nodes of " + std::to_string(nodes.dims()) + " dimensions have " +
                    std::to_string(subscripts.size()) + " subscripts",
                "give each dimension one");
  std::vector<Progression> taken;
  for (int d = 0; d < nodes.dims(); ++d) {
    const Subscript& subscript = subscripts[static_cast<std::size_t>(d)];
    Progression some = subscript.of({0, nodes.extent(d), 1});
    if (subscript.kind == Subscript::Kind::own) {
      if (!own)
        throw Error("a rank that is no node has no coordinate of its own", "give an index instead of *");
      some = {nodes.coordinates(*own)[static_cast<std::size_t>(d)], 1, 1};
    }
    for (const long end : {some.first, some.empty() ? some.first : some.last()})
      if (!some.empty() && (end < 0 || end >= nodes.extent(d)))
        throw Error("there is no node " + std::to_string(end) + " along dimension " + std::to_string(d) +
                        " of " + std::to_string(nodes.extent(d)) + ", counted from 0",
                    "name nodes that there are");
    taken.push_back(some);
  }
  std::vector<int> numbers;
  Coordinates at(subscripts.size());
  const auto walk = [&](const auto& self, std::size_t d) -> void {
    if (d == at.size()) {
      numbers.push_back(nodes.number(at));
      return;
    }
    for (long k = 0; k < taken[d].count; ++k) {
      at[d] = static_cast<int>(taken[d][k]);
      self(self, d + 1);
    }
  };
  walk(walk, 0);
  return numbers;
}

std::vector<int> filled_one(std::vector<int> extents, int ranks) {
  int* free = nullptr;
  long others = 1;
  for (int& extent : extents)
    if (extent < 1)
      free = &extent;
    else
      others *= extent;
  if (free && ranks == 1) return std::vector<int>(extents.size(), 1);
  if (free && ranks % others != 0)
    throw Error("nodes " + product(extents) + " cannot be " + std::to_string(ranks) +
                    (ranks == 1 ? " rank" : " ranks"),
                "start it on a multiple of " + std::to_string(others));
  if (free) *free = static_cast<int>(ranks / others);
  if (times(extents) != ranks)
    throw Error("nodes " + product(extents) + " are " + std::to_string(times(extents)) + ", and there " +
                    (ranks == 1 ? "is 1 rank" : "are " + std::to_string(ranks) + " ranks"),
                "start it on as many ranks as the nodes, or leave an extent free by *");
  return extents;
}

} // namespace tasuki

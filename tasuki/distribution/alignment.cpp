#include <tasuki/distribution/alignment.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>

namespace tasuki {

// The range, in indices of the cut, between a node's first and last index within the array.
Progression AlignedAxis::own(int node) const {
  const long first = std::max(cut_.least(node), offset_);
  const long last = std::min(cut_.greatest(node), count_ - 1 + offset_);
  return {first, std::max(last - first + 1, 0L), 1};
}

long AlignedAxis::count(int node) const {
  long all = 0;
  if (const Progression mine = own(node); linear())
    all = mine.count;
  else
    for (const Progression& p : cut_.held(node, mine)) all += p.count;
  return all;
}

long AlignedAxis::least(int node) const {
  const Progression mine = own(node);
  if (linear()) return mine.empty() ? 0 : mine.first - offset_;
  const auto runs = cut_.runs(node, mine);
  return runs.empty() ? 0 : runs.front().first - offset_;
}

long AlignedAxis::end(int node) const {
  const Progression mine = own(node);
  if (linear()) return mine.empty() ? 0 : mine.last() + 1 - offset_;
  const auto runs = cut_.runs(node, mine);
  return runs.empty() ? 0 : runs.back().last() + 1 - offset_;
}

long AlignedAxis::place(long index) const {
  return cut_.place(index + offset_) - cut_.place(least(owner(index)) + offset_);
}

std::vector<Progression> AlignedAxis::back(std::vector<Progression> list) const {
  for (Progression& p : list) p.first -= offset_;
  return list;
}

std::vector<Progression> AlignedAxis::held(int node, const Progression& section) const {
  Progression inside = intersect(section, {0, count_, 1});
  inside.first += offset_;
  return back(cut_.held(node, inside));
}

std::vector<Progression> AlignedAxis::runs(int node, const Progression& section) const {
  Progression inside = intersect(section, {0, count_, 1});
  inside.first += offset_;
  return back(cut_.runs(node, inside));
}

Alignment::Alignment(const std::vector<long>& extents, const Template& t, const std::vector<Along>& along)
    : nodes_(t.nodes()) {
  if (!t.distributed())
    throw Error("an array is aligned with a template that is not distributed",
                "distribute it, or fix it, before");
  if (extents.size() != along.size())
    throw Error("an array of " + std::to_string(extents.size()) + " dimensions is aligned by " +
                    std::to_string(along.size()) + " subscripts",
                "give each dimension one");
  std::vector<bool> taken(static_cast<std::size_t>(t.dims()));
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto [dim, offset] = along[d];
    if (dim < 0) {
      axes_.emplace_back(extents[d], Cut({0, extents[d]}, whole(), 1), 0, -1);
      continue;
    }
    if (dim >= t.dims())
      throw Error("dimension " + std::to_string(d) + " of an array is aligned with dimension " +
                      std::to_string(dim) + " of a template of " + std::to_string(t.dims()),
                  "align it with one that there is");
    if (taken[static_cast<std::size_t>(dim)])
      throw Error(
          "two dimensions of an array are aligned with dimension " + std::to_string(dim) + " of a template",
          "align one of them");
    taken[static_cast<std::size_t>(dim)] = true;
    const Template::Axis& axis = t.axes()[static_cast<std::size_t>(dim)];
    if (extents[d] > 0 && !(axis.cut.has(offset) && axis.cut.has(offset + extents[d] - 1)))
      throw Error("indices 0 to " + std::to_string(extents[d] - 1) + " of dimension " + std::to_string(d) +
                      " of an array, moved by " + std::to_string(offset) + ", are not all in " +
                      std::to_string(axis.cut.extent().first) + " to " +
                      std::to_string(axis.cut.extent().first + axis.cut.extent().count - 1) +
                      " of its template",
                  "make the template larger, or the offset another");
    axes_.emplace_back(extents[d], axis.cut, offset, axis.node_dim);
  }
}

int Alignment::coordinate(int node, int dim) const {
  const int node_dim = axes_[static_cast<std::size_t>(dim)].node_dim();
  return node_dim < 0 ? 0 : nodes_.coordinates(node)[static_cast<std::size_t>(node_dim)];
}

bool Alignment::holds(int node, const std::vector<long>& index) const {
  for (int d = 0; d < dims(); ++d) {
    const AlignedAxis& axis = axes_[static_cast<std::size_t>(d)];
    if (axis.node_dim() >= 0 && axis.owner(index[static_cast<std::size_t>(d)]) != coordinate(node, d))
      return false;
  }
  return true;
}

std::vector<int> Alignment::owners(const std::vector<long>& index) const {
  std::vector<int> found;
  for (int node = 0; node < nodes_.size(); ++node)
    if (holds(node, index)) found.push_back(node);
  return found;
}

long Alignment::elements(int node) const {
  long all = 1;
  for (int d = 0; d < dims(); ++d) all *= axes_[static_cast<std::size_t>(d)].count(coordinate(node, d));
  return all;
}

} // namespace tasuki

#include <tasuki/field/bands.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace tasuki {
namespace {

constexpr const char* kWants = "--halo direct wants ";

std::string shape_of(const Decomposition& cut) {
  std::string text;
  for (int a = 0; a < cut.dims; ++a) text += (a ? "x" : "") + std::to_string(cut.ranks[a]);
  return text;
}

} // namespace

int next_band(const Decomposition& cut, int rank, int step) {
  const int axis = cut.dims - 1;
  std::array<int, kMaxDims> at = cut.coords(rank);
  int& block = at[static_cast<std::size_t>(axis)];
  block += step;
  return step == 0 || block < 0 || block >= cut.ranks[axis] ? -1 : cut.rank_at(at);
}

Bands::Bands(const Decomposition& cut, const Links& links) : cut_(cut), axis_(cut.dims - 1) {
  if (cut.dims == 1) throw Error(std::string(kWants) + "a grid of two axes or more", "leave it out");
  if (cut.ranks[axis_] != cut.size()) {
    std::string mend = "--ranks ";
    for (int a = 0; a < axis_; ++a) mend += "1x";
    throw Error(std::string(kWants) +
                    "a grid that is cut along its slowest axis alone, and this one is cut " + shape_of(cut),
                "take " + mend + std::to_string(cut.size()) + ", or leave --halo direct out");
  }
  std::map<int, std::vector<int>> blocks; // by node
  for (int rank = 0; rank < cut.size(); ++rank) {
    const int block = cut.coords(rank)[static_cast<std::size_t>(axis_)];
    const Box box = cut.block(rank);
    node_.push_back(links.node(rank));
    block_.push_back(block);
    from_.push_back(box.lo[axis_]);
    to_.push_back(box.hi[axis_]);
    blocks[node_.back()].push_back(block);
  }
  for (const auto& [node, of_node] : blocks) {
    const auto [first, last] = std::minmax_element(of_node.begin(), of_node.end());
    if (*last - *first + 1 != static_cast<int>(of_node.size()))
      throw Error(std::string(kWants) + "blocks of a node that follow each other, and node " +
                      std::to_string(node) + " has others between",
                  "take --mapping naive, with the ranks of a node one after another");
  }
}

Beside Bands::beside(int rank) const {
  Beside beside;
  const auto me = static_cast<std::size_t>(rank);
  for (std::size_t other = 0; other < node_.size(); ++other) {
    if (node_[other] != node_[me]) continue;
    if (block_[other] < block_[me]) beside.below += to_[other] - from_[other];
    if (block_[other] > block_[me]) beside.above += to_[other] - from_[other];
  }
  return beside;
}

bool Bands::side_by_side(int rank, const std::array<int, kMaxDims>& direction) const {
  if (!any()) return false;
  const int other = next_band(cut_, rank, direction[static_cast<std::size_t>(axis_)]);
  return other >= 0 && node_[static_cast<std::size_t>(other)] == node_[static_cast<std::size_t>(rank)];
}

} // namespace tasuki

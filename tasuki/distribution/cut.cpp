#include <tasuki/distribution/cut.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <numeric>

namespace tasuki {

using Kind = Format::Kind;

std::string to_string(const Format& format) {
  switch (format.kind) {
    case Kind::whole: return "*";
    case Kind::block: return format.width ? "block(" + std::to_string(format.width) + ")" : "block";
    case Kind::cyclic: return format.width > 1 ? "cyclic(" + std::to_string(format.width) + ")" : "cyclic";
    case Kind::gblock: break;
  }
  std::string text = "gblock(";
  for (std::size_t k = 0; k < format.sizes.size(); ++k)
    text += (k ? " " : "") + std::to_string(format.sizes[k]);
  return text + ")";
}

Cut::Cut(const Extent& extent, const Format& format, int nodes)
    : extent_(extent), kind_(format.kind), nodes_(kind_ == Kind::whole ? 1 : nodes), width_(format.width) {
  const std::string text = to_string(format), of = std::to_string(extent.count) + " indices over " +
                                                   std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
  if (extent.count < 0 || nodes < 1) throw Error(text + " cannot cut " + of, "give it indices, and nodes");
  if (width_ < 0) throw Error(text + " has a width below 1", "give it one of 1 or more");
  const long even = (extent.count + nodes - 1) / nodes;
  switch (kind_) {
    case Kind::whole: width_ = extent.count; break;
    case Kind::block:
      if (width_ == 0) width_ = std::max(even, 1L);
      if (width_ * nodes < extent.count)
        throw Error(text + " does not reach the end of " + of,
                    "take blocks of " + std::to_string(even) + " or more");
      break;
    case Kind::cyclic: width_ = std::max(width_, 1L); break;
    case Kind::gblock: {
      if (static_cast<long>(format.sizes.size()) != nodes)
        throw Error(text + " has " + std::to_string(format.sizes.size()) + " sizes for " + of,
                    "give it one a node");
      starts_ = {0};
      for (const long size : format.sizes) {
        if (size < 0) throw Error(text + " has a size below 0", "give it sizes of 0 or more");
        starts_.push_back(std::min(starts_.back() + size, extent.count));
      }
      if (starts_.back() < extent.count)
        throw Error(text + " does not reach the end of " + of,
                    "give it sizes of " + std::to_string(extent.count) + " together");
    }
  }
}

int Cut::owner(long index) const {
  const long at = index - extent_.first;
  switch (kind_) {
    case Kind::whole: return 0;
    case Kind::block: return static_cast<int>(at / width_);
    case Kind::cyclic: return static_cast<int>(at / width_ % nodes_);
    case Kind::gblock: break;
  }
  // The last node that starts at or before this index. Nodes without indices start at the same index as the next one.
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), at) - starts_.begin()) - 1;
}

long Cut::place(long index) const {
  const long at = index - extent_.first;
  if (kind_ == Kind::cyclic) return at / (width_ * nodes_) * width_ + at % width_;
  return index - least(owner(index));
}

long Cut::index(int node, long place) const {
  if (kind_ == Kind::cyclic)
    return extent_.first + (place / width_ * nodes_ + node) * width_ + place % width_;
  return least(node) + place;
}

long Cut::count(int node) const {
  if (kind_ != Kind::cyclic) return greatest(node) - least(node) + 1;
  const long cycle = width_ * nodes_, rest = extent_.count % cycle;
  return extent_.count / cycle * width_ + std::clamp(rest - node * width_, 0L, width_);
}

long Cut::least(int node) const {
  const long at = kind_ == Kind::gblock ? starts_[static_cast<std::size_t>(node)] : node * width_;
  return extent_.first + std::min(at, extent_.count);
}

long Cut::greatest(int node) const {
  if (kind_ == Kind::cyclic) return count(node) ? index(node, count(node) - 1) : least(node) - 1;
  const long end = kind_ == Kind::gblock ? starts_[static_cast<std::size_t>(node) + 1] : (node + 1) * width_;
  return extent_.first + std::min(end, extent_.count) - 1;
}

std::vector<Progression> Cut::runs(int node, const Progression& section) const {
  std::vector<Progression> found;
  const auto take = [&](const Progression& own) {
    if (const Progression both = intersect(own, section); !both.empty()) found.push_back(both);
  };
  const long first = least(node), last = greatest(node);
  if (first > last || section.empty()) return found;
  const Progression asked = ascending(section);
  if (linear()) {
    take(span(first, last + 1));
  } else if (width_ == 1) {
    take({first, count(node), nodes_});
  } else {
    const long cycle = width_ * nodes_, end = extent_.first + extent_.count;
    const long skipped = std::max(0L, (asked.first - first) / cycle); // cycles before the section
    for (long piece = first + skipped * cycle; piece < end && piece <= asked.last(); piece += cycle)
      take(span(piece, std::min(piece + width_, end)));
  }
  return found;
}

std::vector<Progression> Cut::residues(int node, const Progression& section) const {
  std::vector<Progression> found;
  const long cycle = width_ * nodes_, end = extent_.first + extent_.count;
  for (long at = least(node); at < std::min(least(node) + width_, end); ++at)
    if (const Progression both = intersect(until(at, end, cycle), section); !both.empty())
      found.push_back(both);
  return found;
}

std::vector<Progression> Cut::held(int node, const Progression& section) const {
  if (linear() || width_ == 1) return runs(node, section);
  const long pieces = extent_.count / (width_ * nodes_) + 1;
  return pieces <= width_ ? runs(node, section) : residues(node, section);
}

} // namespace tasuki

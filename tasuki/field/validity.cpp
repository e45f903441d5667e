#include <tasuki/field/validity.hpp>

#include <algorithm>

namespace tasuki {
namespace {

// A halo that is valid nowhere has no valid corners either; otherwise most() would make an exchange include corners.
int order_of(const Depth& d) {
  const bool any = std::any_of(d.width.begin(), d.width.end(), [](const Width& w) { return w != Width(0); });
  return any ? d.order : 0;
}

} // namespace

Depth least(const Depth& a, const Depth& b) {
  Depth d;
  d.order = std::min(a.order, b.order);
  for (int k = 0; k < kMaxDims; ++k)
    d.width[k] = Width(std::min(a.width[k].lo, b.width[k].lo), std::min(a.width[k].hi, b.width[k].hi));
  return d;
}

Depth most(const Depth& a, const Depth& b) {
  Depth d;
  d.order = std::max(order_of(a), order_of(b));
  for (int k = 0; k < kMaxDims; ++k)
    d.width[k] = Width(std::max(a.width[k].lo, b.width[k].lo), std::max(a.width[k].hi, b.width[k].hi));
  return d;
}

bool covers(const Depth& have, const Depth& need, int dims) {
  int axes = 0;
  for (int a = 0; a < dims; ++a) {
    if (need.width[a].lo > have.width[a].lo || need.width[a].hi > have.width[a].hi) return false;
    axes += need.width[a].lo > 0 || need.width[a].hi > 0;
  }
  return std::min(need.order, axes) <= have.order;
}

Depth Validity::depth() const {
  Depth d = parts_.front().second;
  for (const auto& [box, depth] : parts_) d = least(d, depth);
  return d;
}

void Validity::exchanged(const Depth& depth, int dims) {
  // An exchange replaces the previous depths if it is at least as deep. Callers request most() of the needed and the
  // present depth, so this is always the case.
  if (covers(depth, this->depth(), dims)) {
    parts_.resize(1);
    parts_.front().second = depth;
  }
}

void Validity::written(const Box& region, const Depth& depth) {
  everywhere_ = Everywhere::stale;
  if (region == parts_.front().first || region.contains(parts_.front().first)) {
    parts_.resize(1);
    parts_.front().second = depth;
    return;
  }
  std::erase_if(parts_,
                [&](const auto& part) { return &part != &parts_.front() && region.contains(part.first); });
  parts_.emplace_back(region, depth);
}

void Validity::touched() {
  everywhere_ = Everywhere::stale;
  parts_.resize(1);
  parts_.front().second = Depth{};
}

} // namespace tasuki

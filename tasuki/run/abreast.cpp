#include <tasuki/run/abreast.hpp>

#include <set>
#include <typeinfo>

namespace tasuki {
namespace {

// Null unless it is a sweep that only reads and reduces.
const SweepCore* only_reduces(const PlannedOp& op) {
  const auto* planned = std::get_if<PlannedSweep>(&op);
  if (!planned || !planned->needs.empty() || !planned->sweep->reduces()) return nullptr;
  for (const Access& a : planned->sweep->accesses())
    if (a.kind == Access::Kind::write || a.kind == Access::Kind::update) return nullptr;
  return planned->sweep.get();
}

} // namespace

std::size_t sweeps_abreast(const std::vector<PlannedOp>& ops, std::size_t first) {
  std::set<const detail::ReductionCore*> taken;
  const SweepCore* before = nullptr;
  std::size_t end = first;
  for (; end < ops.size(); ++end) {
    const SweepCore* const sweep = only_reduces(ops[end]);
    if (!sweep || (before && typeid(*sweep) != typeid(*before))) break;
    bool own = true;
    for (const Access& a : sweep->accesses())
      if (a.reduction) own &= taken.insert(a.reduction).second;
    if (!own) break;
    before = sweep;
  }
  return end > first ? end - first : 1;
}

} // namespace tasuki

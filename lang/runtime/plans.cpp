#include "plans.hpp"

#include <algorithm>
#include <numeric>

namespace tasuki::xmp {

Reflect& Plans::of(const PlanKey& key, const std::set<std::uint64_t>& arrays,
                   const std::function<std::unique_ptr<Reflect>()>& make) {
  const auto known = plans_.find(key);
  Plan& plan =
      known != plans_.end() ? known->second : plans_.emplace(key, Plan{arrays, make()}).first->second;
  settle(plan.reflect.get());
  return *plan.reflect;
}

void Plans::settle(const Reflect* plan) {
  for (auto way = ways_.begin(); way != ways_.end();)
    if (way->second == plan) {
      way->second->finish();
      way = ways_.erase(way);
    } else {
      ++way;
    }
}

void Plans::forget(std::uint64_t array) {
  for (auto plan = plans_.begin(); plan != plans_.end();)
    if (plan->second.arrays.count(array)) {
      settle(plan->second.reflect.get());
      plan = plans_.erase(plan);
      ++forgotten_;
    } else {
      ++plan;
    }
}

void Plans::begin(Reflect& plan, long id) {
  plan.start();
  ways_.emplace(id, &plan);
}

void Plans::finish(long id) {
  for (auto way = ways_.find(id); way != ways_.end() && way->first == id; way = ways_.find(id)) {
    Reflect* const done = way->second;
    ways_.erase(way);
    done->finish();
  }
}

void Assignments::whole(const PlanKey& key, const std::set<std::uint64_t>& arrays,
                        const std::function<std::unique_ptr<Redistribution>()>& make) {
  const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.key == key; });
  if (known != kept_.end())
    kept_.splice(kept_.begin(), kept_, known);
  else
    kept_.push_front({key, arrays, make()});
  kept_.front().moves->whole();
  const auto bytes = [this] {
    return std::accumulate(kept_.begin(), kept_.end(), 0L,
                           [](long sum, const Kept& k) { return sum + k.moves->kept_bytes(); });
  };
  // What is too large goes at once, and does not drive out the others.
  if (kept_.front().moves->kept_bytes() > kMostBytes) kept_.pop_front();
  while (kept_.size() > kMost || bytes() > kMostBytes) kept_.pop_back(); // the same on all ranks
}

void Assignments::forget(std::uint64_t array) {
  kept_.remove_if([&](const Kept& k) { return k.arrays.count(array) > 0; });
}

} // namespace tasuki::xmp

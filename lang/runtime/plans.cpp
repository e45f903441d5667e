#include "plans.hpp"

namespace tasuki::xmp {

Reflect& Plans::of(const PlanKey& key, const std::set<std::uint64_t>& arrays,
                   const std::function<std::unique_ptr<Reflect>()>& make) {
  const auto known = plans_.find(key);
  Plan& plan =
      known != plans_.end() ? known->second : plans_.emplace(key, Plan{arrays, make()}).first->second;
  settle(plan.reflect.get());
  return *plan.reflect;
}

// Finishes a plan that is in progress, before it starts again.
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

} // namespace tasuki::xmp

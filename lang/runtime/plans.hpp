// Exchanges that are set up once and done again, and those that are under way. Internal.
#pragma once

#include "run_time.hpp"

#include <tasuki/array/reflect.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace tasuki::xmp {

// What a plan was made for: the numbers of its arrays and of their memories, widths, corners, side.
using PlanKey = std::vector<long>;

class Plans {
public:
  explicit Plans(World&) {}

  // The plan of this key, made where there is none; it lives until one of its arrays ends.
  Reflect& of(const PlanKey& key, const std::set<std::uint64_t>& arrays,
              const std::function<std::unique_ptr<Reflect>()>& make);
  void forget(std::uint64_t array); // its plans; what is under way is finished before

  void begin(Reflect& plan, long id); // under way until finish(id)
  void finish(long id);
  bool under_way(long id) const { return ways_.count(id) > 0; }

private:
  struct Plan {
    std::set<std::uint64_t> arrays;
    std::unique_ptr<Reflect> reflect;
  };
  void settle(const Reflect* plan);
  std::map<PlanKey, Plan> plans_;
  std::multimap<long, Reflect*> ways_; // by the id of its async
};

} // namespace tasuki::xmp

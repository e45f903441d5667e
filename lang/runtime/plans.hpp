// Exchanges that are set up once and repeated, and asynchronous exchanges. Internal.
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

// The key of a plan: the numbers of its arrays and of their memories, widths, corners, side.
using PlanKey = std::vector<long>;

class Plans {
public:
  explicit Plans(World&) {}

  // The plan with this key, created at first use; it is destroyed with the first of its arrays.
  Reflect& of(const PlanKey& key, const std::set<std::uint64_t>& arrays,
              const std::function<std::unique_ptr<Reflect>()>& make);
  void forget(std::uint64_t array); // destroys its plans, after the end of those in progress

  void begin(Reflect& plan, long id); // in progress until finish(id)
  void finish(long id);
  bool under_way(long id) const { return ways_.count(id) > 0; }

private:
  struct Plan {
    std::set<std::uint64_t> arrays;
    std::unique_ptr<Reflect> reflect;
  };
  void settle(const Reflect* plan);
  std::map<PlanKey, Plan> plans_;
  std::multimap<long, Reflect*> ways_; // by the id of `async`
};

} // namespace tasuki::xmp

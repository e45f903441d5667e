// Exchanges that are set up once and repeated, and asynchronous exchanges. Internal.
#pragma once

#include "run_time.hpp"

#include <tasuki/array/redistribution.hpp>
#include <tasuki/array/reflect.hpp>

#include <cstdint>
#include <functional>
#include <list>
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
  void forget(std::uint64_t array);             // destroys its plans, after the end of those in progress
  void settle(const Reflect* plan);             // finishes it where it is in progress
  long forgotten() const { return forgotten_; } // a plan that was found stays while this does

  void begin(Reflect& plan, long id); // in progress until finish(id)
  void finish(long id);
  bool under_way(long id) const { return ways_.count(id) > 0; }

private:
  struct Plan {
    std::set<std::uint64_t> arrays;
    std::unique_ptr<Reflect> reflect;
  };
  std::map<PlanKey, Plan> plans_;
  long forgotten_ = 0;
  std::multimap<long, Reflect*> ways_; // by the id of `async`
};

// Assignments between arrays over all ranks that have been done before: the last few, as long as they keep little memory.
class Assignments {
public:
  explicit Assignments(World&) {}

  void whole(const PlanKey& key, const std::set<std::uint64_t>& arrays,
             const std::function<std::unique_ptr<Redistribution>()>& make); // collective
  void forget(std::uint64_t array);

private:
  static constexpr std::size_t kMost = 16;
  static constexpr long kMostBytes = 256L << 20; // of a rank, for all of them
  struct Kept {
    PlanKey key;
    std::set<std::uint64_t> arrays;
    std::unique_ptr<Redistribution> moves;
  };
  std::list<Kept> kept_; // the last one first
};

} // namespace tasuki::xmp

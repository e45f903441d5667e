#include <tasuki/transfer/collectives.hpp>

#include <tasuki/base/bytes.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/levels.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace tasuki {
namespace {

// The sets of ranks that have called a collective. Equal sets have one communicator, by which they are found.
class Meetings {
public:
  explicit Meetings(World& world) : constants_(tuning(world).device) {}
  ~Meetings() {
    while (!sets_.empty()) sets_.pop_back(); // in reverse, as other ranks do
  }
  Meetings(const Meetings&) = delete;
  Meetings& operator=(const Meetings&) = delete;

  // Null where MPI does it. The levels are made when a set first takes them, and kept, as its communicator is.
  Levels* levels(const Ranks& ranks, long bytes, CollectiveWay wish) {
    if (wish == CollectiveWay::flat || bytes > kMostByLevels) return nullptr;
    Set& set = of(ranks);
    if (wish == CollectiveWay::chosen) wish = way_of(constants_, set.ranks_of_nodes, bytes);
    if (wish == CollectiveWay::flat) return nullptr;
    if (!set.levels) set.levels.emplace(set.ranks);
    return &*set.levels;
  }

private:
  struct Set {
    explicit Set(const Ranks& these) : ranks(these) {
      std::map<int, int> count;
      for (int k = 0; k < ranks.size(); ++k) ++count[ranks.world().node_of(ranks.rank(k))];
      for (const auto& [node, here] : count) ranks_of_nodes.push_back(here);
    }
    Ranks ranks;
    std::vector<int> ranks_of_nodes;
    std::optional<Levels> levels;
  };
  Set& of(const Ranks& ranks) {
    for (const auto& set : sets_)
      if (set->ranks.comm() == ranks.comm()) return *set;
    return *sets_.emplace_back(std::make_unique<Set>(ranks));
  }
  DeviceConstants constants_;
  std::deque<std::unique_ptr<Set>> sets_;
};

Levels* levels_of(const Ranks& ranks, long bytes, CollectiveWay wish) {
  return ranks.world().part<Meetings>().levels(ranks, bytes, wish);
}

constexpr const char* kWhy = "the values of the other ranks";

} // namespace

CollectiveWay way_of(const DeviceConstants& measured, const std::vector<int>& ranks_of_nodes, long bytes) {
  const bool several = std::any_of(ranks_of_nodes.begin(), ranks_of_nodes.end(), [](int n) { return n > 1; });
  const bool slower = measured.reduction_levels > measured.reduction_flat;
  return several && !slower && bytes <= kMostByLevels ? CollectiveWay::levels : CollectiveWay::flat;
}

void meet(const Ranks& ranks, const char* why, CollectiveWay way) {
  if (Levels* const levels = levels_of(ranks, 0, way))
    levels->gather(nullptr, 0, nullptr, why);
  else
    barrier(ranks, why);
}

std::vector<char> all_gather(const Ranks& ranks, const void* mine, long bytes, CollectiveWay way) {
  if (bytes * ranks.size() > INT_MAX)
    throw Error(
        std::to_string(bytes) + " bytes of each of " + std::to_string(ranks.size()) + " ranks at once",
        "take fewer elements at a time");
  std::vector<char> all(static_cast<std::size_t>(bytes * ranks.size()));
  if (Levels* const levels = levels_of(ranks, bytes, way)) {
    levels->gather(static_cast<const char*>(mine), bytes, all.data(), kWhy);
    return all;
  }
  gather_bytes(ranks, mine, bytes, all.data(), kWhy);
  return all;
}

void broadcast(const Ranks& ranks, void* value, long bytes, int from, CollectiveWay way) {
  if (bytes * ranks.size() <= kMostByLevels &&
      levels_of(ranks, bytes, way)) { // few enough to send all of all
    const std::vector<char> all = all_gather(ranks, value, bytes, way);
    if (bytes) // nothing may have no address
      std::memcpy(value, all.data() + static_cast<long>(from) * bytes, static_cast<std::size_t>(bytes));
    return;
  }
  broadcast_bytes(ranks, value, bytes, from, "a value from another rank");
}

void fold_all(const Ranks& ranks, void* value, long bytes, const Folding& fold, CollectiveWay way) {
  auto* const into = static_cast<char*>(value);
  if (Levels* const levels = levels_of(ranks, bytes, way)) {
    levels->fold(into, bytes, fold, kWhy);
    return;
  }
  const std::vector<char> all = all_gather(ranks, value, bytes, CollectiveWay::flat);
  if (bytes) std::memcpy(into, all.data(), static_cast<std::size_t>(bytes));
  for (int k = 1; k < ranks.size(); ++k) fold(into, all.data() + static_cast<long>(k) * bytes);
}

} // namespace tasuki

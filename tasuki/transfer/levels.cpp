#include <tasuki/transfer/levels.hpp>

#include <tasuki/base/bytes.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>

#include <cstring>
#include <map>

namespace tasuki {
namespace {

constexpr std::size_t kSigns = 128;
constexpr auto kSlot = static_cast<std::size_t>(kMostByLevels);

std::size_t bytes_for(const Ranks& node, const Ranks& all) {
  return kSigns + 2 * kSlot + (node.place() == 0 ? 2 * kSlot * static_cast<std::size_t>(all.size()) : 0);
}

} // namespace

Levels::Levels(const Ranks& ranks) : ranks_(ranks), node_(on_node(ranks)) {
  World& world = ranks.world();
  std::map<int, std::vector<int>> by_node; // places
  for (int place = 0; place < ranks.size(); ++place)
    by_node[world.node_of(ranks.rank(place))].push_back(place);
  std::vector<std::vector<int>> in_order(by_node.size());
  std::vector<int> firsts;
  for (const auto& [node, places] : by_node) firsts.push_back(ranks.rank(places.front()));
  std::sort(firsts.begin(), firsts.end()); // as the places of a subset are
  for (const auto& [node, places] : by_node) {
    const auto at = std::lower_bound(firsts.begin(), firsts.end(), ranks.rank(places.front()));
    in_order[static_cast<std::size_t>(at - firsts.begin())] = places;
  }
  for (const std::vector<int>& places : in_order) {
    nodes_.push_back(static_cast<int>(places.size()));
    places_.insert(places_.end(), places.begin(), places.end());
  }
  memory_.emplace(node_, bytes_for(node_, ranks_));
  static_assert(sizeof(Signs) <= kSigns);
  new (memory_->data(node_.place())) Signs{};
  if (node_.place() == 0 && firsts.size() > 1) first_ = subset(world, firsts);
  barrier(node_, "the memory in which a node's ranks meet");
}

char* Levels::bytes_of(int place) const { return memory_->data(place) + kSigns + turn_ % 2 * kSlot; }

char* Levels::result() const {
  return memory_->data(0) + kSigns + 2 * kSlot + turn_ % 2 * kSlot * static_cast<std::size_t>(ranks_.size());
}

void Levels::come(const char* mine, long bytes) {
  ++turn_;
  if (bytes) std::memcpy(bytes_of(node_.place()), mine, static_cast<std::size_t>(bytes));
  signs(node_.place()).come.store(turn_, std::memory_order_release);
}

void Levels::wait_for(int place, const char* why) const {
  const auto& come = signs(place).come;
  ranks_.world().wait_until([&] { return come.load(std::memory_order_acquire) >= turn_; }, why);
}

// The first rank of the node acts when all of them have come; the others get what it made, `bytes` of it.
template <class Act>
void Levels::first_rank_does(long bytes, char* into, const char* why, const Act& act) {
  if (node_.place() == 0) {
    for (int k = 0; k < node_.size(); ++k) wait_for(k, why);
    act(result());
    signs(0).full.store(turn_, std::memory_order_release);
  } else {
    const auto& full = signs(0).full;
    ranks_.world().wait_until([&] { return full.load(std::memory_order_acquire) >= turn_; }, why);
  }
  if (bytes) std::memcpy(into, result(), static_cast<std::size_t>(bytes));
}

// Among the first ranks: `bytes` of each rank behind them, or `bytes` of each of them.
void Levels::between(const char* mine, int bytes, std::vector<char>& all, bool one_each,
                     const char* why) const {
  std::vector<int> counts;
  std::size_t sum = 0;
  for (const int ranks : nodes_) {
    counts.push_back(one_each ? bytes : ranks * bytes);
    sum += static_cast<std::size_t>(counts.back());
  }
  all.resize(sum);
  gather_bytes(*first_, mine, counts, all.data(), why);
}

void Levels::gather(const char* mine, long bytes, char* all, const char* why) {
  come(mine, bytes);
  const auto size = static_cast<std::size_t>(bytes);
  if (nodes_.size() == 1) { // nobody has to go between
    for (int k = 0; k < node_.size(); ++k) {
      wait_for(k, why);
      if (bytes) std::memcpy(all + size * static_cast<std::size_t>(k), bytes_of(k), size);
    }
    return;
  }
  first_rank_does(bytes * ranks_.size(), all, why, [&](char* into) {
    std::vector<char> here(size * static_cast<std::size_t>(node_.size())), of_nodes;
    for (int k = 0; k < node_.size(); ++k)
      if (bytes) std::memcpy(here.data() + size * static_cast<std::size_t>(k), bytes_of(k), size);
    if (!bytes)
      return barrier(*first_, why); // MPI need not wait for anybody to gather nothing; MPICH does not
    between(here.data(), static_cast<int>(bytes), of_nodes, false, why);
    for (std::size_t k = 0; k < places_.size(); ++k)
      std::memcpy(into + size * static_cast<std::size_t>(places_[k]), of_nodes.data() + size * k, size);
  });
}

void Levels::fold(char* value, long bytes, const Folding& fold, const char* why) {
  come(value, bytes);
  const auto size = static_cast<std::size_t>(bytes);
  const auto fold_node = [&](char* into) {
    if (bytes) std::memcpy(into, bytes_of(0), size);
    for (int k = 1; k < node_.size(); ++k) fold(into, bytes_of(k));
  };
  if (nodes_.size() == 1) {
    for (int k = 0; k < node_.size(); ++k) wait_for(k, why);
    fold_node(value);
    return;
  }
  first_rank_does(bytes, value, why, [&](char* into) {
    std::vector<char> here(size), of_nodes;
    fold_node(here.data());
    between(here.data(), static_cast<int>(bytes), of_nodes, true, why);
    if (bytes) std::memcpy(into, of_nodes.data(), size);
    for (std::size_t k = 1; k < nodes_.size(); ++k) fold(into, of_nodes.data() + size * k);
  });
}

} // namespace tasuki

// A home knows which nodes have copies of a rank's own pages, and determines at a synchronisation
// what becomes of the copies. It sends no messages: callers ask it, and it returns what to send.
//
//   Home home(range, node, nodes);
//   home.fetch(2, false, {{16, 4}}, reply);   // node 2 has pages 16 to 19 from now on
//   home.keep(2, patches);                    // what node 2 has written into them
//   home.reconcile(tell);                     // all ranks have come: applies it, tells each node what it has to drop
//
// The twin of a page is the copy that was sent first since the last synchronisation. Bytes that differ
// from it at the next one were written by the ranks of this node, so own pages need no page faults. A page that was never sent
// has none: what its home wrote before counts only where the page is watched, as all are with --races.
#pragma once

#include <tasuki/space/message.hpp>
#include <tasuki/space/range.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tasuki::space {

class Home {
public:
  Home(const Range& range, int node, int nodes) : range_(range), node_(node), nodes_(nodes) {}

  // Where the bytes of these pages lie, one behind the other: in `reply`, or in the range until the next synchronisation.
  const char* fetch(int node, bool hold, const std::vector<PageRun>& runs, std::vector<char>& reply);
  void hold(int node, const std::vector<PageRun>& runs);
  // What this node alone can have written is applied at once. All ranks synchronise meanwhile: nobody writes.
  void keep(int node, const char* patches, std::size_t bytes);
  void settle(const char* patches, std::size_t bytes); // applied at once
  // Pages that ranks of this node have changed since the pages were sent,
  // or since the last call; if there are more than `most`, some of them.
  std::vector<std::uint64_t> changes(std::size_t most);

  // Two nodes that wrote one byte differently since the last synchronisation.
  struct Clash {
    std::uint64_t page = 0, byte = 0;
    int nodes[2] = {};
  };
  // `patch`: what to send to a node that holds the page; null: the node drops the page.
  using Tell = std::function<void(int node, std::uint64_t page, const std::vector<char>* patch)>;
  // The first clash, if any. If several nodes wrote one byte, the value of the highest node stands.
  // reconcile() calls `tell` without its lock: `tell` may wait for ranks that ask this one.
  std::optional<Clash> reconcile(const Tell& tell);

  // The writes of this node to these pages count from now on, whoever has a copy. They are zero, and so are their twins.
  void watch(std::uint64_t page, std::uint64_t count);
  void unwatch(std::uint64_t page,
               std::uint64_t count); // of an array that ends, and of which nobody has a copy

  void forget_holders(); // all nodes have dropped all their copies
  bool holders() const;

private:
  const char* fetch_fresh(int node, bool hold, const PageRun& run);

  struct Sent {
    std::uint64_t nodes = 0, held = 0; // one bit per node; with more than 64 nodes each bit is for several
    bool changed = false;              // copies differ from each other, or from the twin
    bool settled = false;              // the twin is what the page is: kept at this synchronisation
    bool watched = false;              // stays though nobody has a copy
  };
  struct Kept {
    int node;
    std::vector<char> patches;
  };
  static constexpr int kBits = 64;
  static std::uint64_t bit(int node) { return std::uint64_t{1} << node % kBits; }

  const Range& range_;
  const int node_, nodes_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Sent> sent_; // by page
  std::vector<Kept> kept_;
};

} // namespace tasuki::space

// What a rank knows of those of its own pages that other nodes have copies of, and what becomes of them at a synchronisation.
// No messages: it is asked, and says what is to be told.
//
//   Home home(range, node);
//   home.fetch(2, false, {{16, 4}}, reply);   // node 2 has pages 16 to 19 from now on
//   home.keep(2, patches);                    // what node 2 has written into them
//   home.reconcile(true, tell);               // all ranks have come: applies it, tells each node what it has to drop
//
// The twin of a page is the copy that was first sent since the last synchronisation. What differs from it then was written by
// the ranks of this node: own pages need no fault to know that.
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
  Home(const Range& range, int node) : range_(range), node_(node) {}

  void fetch(int node, bool hold, const std::vector<PageRun>& runs, std::vector<char>& reply);
  void hold(int node, const std::vector<PageRun>& runs);
  void keep(int node, std::vector<char> patches);
  void settle(const char* patches, std::size_t bytes); // applied at once
  // Pages that the ranks of this node have changed since they were sent, or since this was asked last; some of them,
  // where there are more.
  std::vector<std::uint64_t> changes(std::size_t most);

  // Two nodes that wrote one byte differently since the last synchronisation.
  struct Clash {
    std::uint64_t page = 0, byte = 0;
    int nodes[2] = {};
  };
  // `patch`: what a node that holds the page is to be given; null: it drops the page.
  using Tell = std::function<void(int node, std::uint64_t page, const std::vector<char>* patch)>;
  // The first clash, if any. Where nodes wrote one byte the value of the higher one stands.
  std::optional<Clash> reconcile(int nodes, const Tell& tell);

  void forget_holders(); // all nodes have dropped all
  bool holders() const { return !sent_.empty(); }

private:
  struct Sent {
    std::uint64_t nodes = 0, held = 0; // a bit a node; of more than 64, each bit stands for several
    bool changed = false;              // copies differ from each other, or from the twin
  };
  struct Kept {
    int node;
    std::vector<char> patches;
  };
  static std::uint64_t bit(int node) { return std::uint64_t{1} << node % 64; }

  const Range& range_;
  const int node_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Sent> sent_; // by page
  std::vector<Kept> kept_;
};

} // namespace tasuki::space

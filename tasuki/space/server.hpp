// The server of a rank answers the other ranks of a space while the program computes, and asks them. Both go by the post,
// whose courier is the only thread that answers. It uses the alias, never the program's view, so it never waits for a page.
//
//   Server server(world, range, pages, arrays, home, take);
//   server.fetch({{16, 4}}, false, [](std::size_t run) { .. });
#pragma once

#include <tasuki/channel/post.hpp>
#include <tasuki/space/arrays.hpp>
#include <tasuki/space/cache.hpp>
#include <tasuki/space/grants.hpp>
#include <tasuki/space/home.hpp>
#include <tasuki/space/locks.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

namespace tasuki::space {

using Letter = std::shared_ptr<Post::Letter>;

class Server : public Supply {
public:
  // `take`: the courier calls it with a notice for this node. Collective.
  using Take = std::function<void(const char* notices, std::size_t bytes, std::uint64_t drops)>;
  Server(World& world, const Range& range, const Pages& pages, const Arrays& arrays, Home& home, Take take);
  ~Server();

  void fetch(const std::vector<PageRun>& runs, bool hold,
             const std::function<void(std::size_t)>& there) override;
  void read(const std::vector<std::uint64_t>& pages, bool hold, char* into) override;
  void hold(const std::vector<PageRun>& runs) override;
  void settle(int home, std::vector<char> patches) override;
  bool ours(int home) const override { return world_.same_node(home, world_.rank()); }

  // One question and its reply. Sleeps meanwhile. A rank that asks itself, for its locks, answers in the thread that asks: to
  // wake its courier takes far longer.
  std::vector<char> ask(int rank, const std::vector<char>& question, std::size_t most_reply);
  Letter send(int rank, std::vector<char> question, std::size_t most_reply);
  std::vector<char> wait(const Letter& letter); // the memory of its question

  // What answers questions about arrays over devices. Once, before any rank asks.
  using ForDevices = std::function<std::vector<char>(const Head&, const char* rest, std::size_t count)>;
  void answer_for_devices(ForDevices by) {
    for_devices_ = std::move(by);
    devices_answer_.store(true, std::memory_order_release);
  }

  Locks& locks() { return locks_; }
  Grants& grants() { return grants_; } // of the locks that threads of this rank wait for
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; } // asked and replied

private:
  Post::Reply answer(const char* question, std::size_t bytes);
  void grant(std::uint64_t ticket);

  World& world_;
  const Range& range_;
  const Pages& pages_;
  const Arrays& arrays_;
  Home& home_;
  const Take take_;
  Locks locks_;
  Grants grants_;
  std::mutex told_mutex_;
  std::deque<Letter> told_; // words to those whose lock it is, not answered yet
  ForDevices for_devices_;
  std::atomic<bool> devices_answer_{false};
  std::mutex random_mutex_;
  std::minstd_rand random_;
  const long delay_; // us at most, for tests
  std::atomic<std::uint64_t> messages_{0}, bytes_{0};
  Post post_; // the last: it uses the rest
};

// Questions that grow page by page, one per rank, and are sent when they are large.
class Outbox {
public:
  Outbox(Server& server, Head head) : server_(server), head_(head) {}
  // Append to this, then call grown().
  std::vector<char>& to(int rank);
  void grown(int rank);
  void finish(); // sends the rest, and returns when all have been answered

private:
  Server& server_;
  const Head head_;
  std::unordered_map<int, std::vector<char>> open_;
  std::deque<Letter> sent_;              // not waited for yet
  std::vector<std::vector<char>> spare_; // memory of those that were
};

// Waits without occupying a core: polls often at first, then sleeps between polls. Throws Error if a rank of this host dies.
void wait_softly(const World& world, const char* what, const std::function<bool()>& done);

} // namespace tasuki::space

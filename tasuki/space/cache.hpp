// The cache of a rank has pages of others: it fetches them, shows them to the program, notes first writes, and sends them home.
//
//   cache.bring({{16, 4}}, Why::section, true); // there, and writable
//   cache.flush([&](int home, auto write) { .. }); // what was written, page by page
//   cache.adjust();                              // the view, to what a synchronisation has left
//
// Pages is the state that ranks of a node share; the cache is this rank's own view of it.
#pragma once

#include <tasuki/space/arrays.hpp>
#include <tasuki/space/diff.hpp>
#include <tasuki/space/faults.hpp>
#include <tasuki/space/message.hpp>
#include <tasuki/space/pages.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace tasuki::space {

// Asks homes for pages; made by the server.
class Supply {
public:
  virtual ~Supply() = default;
  // Fetches these runs, each of one home, into the alias, and calls there(k) when run k has arrived.
  virtual void fetch(const std::vector<PageRun>& runs, bool hold,
                     const std::function<void(std::size_t)>& there) = 0;
  // What these pages of one home are there now, one behind the other.
  virtual void read(const std::vector<std::uint64_t>& pages, bool hold, char* into) = 0;
  virtual void hold(const std::vector<PageRun>& runs) = 0;
  virtual void settle(int home, std::vector<char> patches) = 0; // returns when it has been applied
  virtual bool ours(int home) const = 0;                        // of this node
};

enum class Why { fault, section };

class Cache {
public:
  // `limit`: bytes of others' pages that the node may hold; 0: any number.
  Cache(const Range& range, Pages& pages, Arrays& arrays, Faults& faults, Supply& supply,
        std::uint64_t limit);
  ~Cache();

  // Returns when all of these pages can be read, or written. The result: how many were fetched for it. For Why::fault only
  // the first page of each run is certain: pages ahead of it are not fetched again if another rank drops them meanwhile.
  std::uint64_t bring(const std::vector<PageRun>& runs, Why why, bool write, bool hold = false);
  // Serves a touch of a page that is in this rank's view already: the system takes pages out of a view when it swaps them.
  // Returns false if the view has no such page.
  bool show_again(std::uint64_t page, bool write);
  // Serves a touch of pages of this node itself, in an array that also has pages of others.
  void show_own(const PageRun& run);

  // Calls write(home, page) for each written page of this rank's share, while the page is busy, and leaves these pages clean.
  void flush(int place, int of, const std::function<void(int home, std::uint64_t page)>& write);
  // Sends all that the node has written to its homes now. Returns these pages, and the pages that make_room() has sent home
  // since the last call. Writers may continue meanwhile. The caller has the Turn.
  std::vector<std::uint64_t> settle_all();
  // Brings this node's copies of pages that others have settled up to date: by a message for each home and kReadAtOnce bytes.
  void refresh(const std::vector<std::uint64_t>& pages);
  static constexpr std::size_t kReadAtOnce = std::size_t{256} << 10;

  // Apply a notice that has arrived; called by the courier.
  void drop(std::uint64_t page);
  void update(const Patch& patch);

  void adjust();                    // this rank's view
  void drop_all(int place, int of); // its share of the node's pages, before adjust()

private:
  enum View : std::uint8_t { none, readable, writable };
  static constexpr std::uint8_t kListed = 4;
  View view(std::uint64_t page) const { return static_cast<View>(view_[page] & 3); }
  void set_view(std::uint64_t page, View to);
  void note_touched(const std::vector<PageRun>& runs);
  void collect(const PageRun& run, std::vector<PageRun>& fetch, std::vector<std::uint64_t>& others);
  void make_room(std::uint64_t pages);
  bool give_back(std::uint64_t page, Page was, std::map<int, std::vector<char>>& patches);
  template <class Act>
  void of_others(const PageRun& run,
                 const Act& act) const; // act(PageRun, home) for its parts whose home is another node's
  void make_dirty(const PageRun& run, std::vector<std::uint64_t>& gone);
  bool make_dirty(std::uint64_t page); // false where it is gone
  void take_in(std::uint64_t page, Page was, const char* fresh);
  void show(const PageRun& run, bool write);

  const Range& range_;
  Pages& pages_;
  Arrays& arrays_;
  Faults& faults_;
  Supply& supply_;
  const std::uint64_t limit_;        // pages
  std::mutex mutex_;                 // of what follows
  std::uint8_t* view_;               // a View a page, and whether it is in the list
  std::vector<std::uint64_t> shown_; // pages that are not none, and some that were not long ago; each once
  // The last pages that threads touched, which are not given back: an instruction that needs two pages would wait for ever if
  // each took the other's place.
  static constexpr std::size_t kTouched = 128;
  std::vector<std::uint64_t> touched_; // in turn
  std::size_t next_touched_ = 0;
  // of the list, where make_room() looks next; several threads look at once, and a hint is all that it is
  std::atomic<std::uint64_t> hand_{0};
};

} // namespace tasuki::space

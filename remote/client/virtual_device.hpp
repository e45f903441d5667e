// A device as the program sees it: one worker, an arena of addresses, what has been loaded.
//
//   VirtualDevice device(0, std::move(link), "a:0", place);
//   u64 p = device.allocate(1 << 20);
//   device.calls().post(call::Fill{p, 1 << 20, 0, 0});
//   device.check();                       // throws a kernel's fault, if one has been told
//
// Any thread may call anything.
#pragma once

#include <remote/client/ahead.hpp>
#include <remote/client/arena.hpp>
#include <remote/client/chunks.hpp>
#include <remote/client/connection.hpp>
#include <remote/client/mirrored.hpp>
#include <remote/client/neighbours.hpp>
#include <remote/client/peers.hpp>
#include <remote/client/places.hpp>
#include <remote/link/heartbeat.hpp>

#include <deque>
#include <map>
#include <set>
#include <string>

namespace tasuki::remote {

// A fat binary of the program's: its bytes stay where they are. Shipped to a device when something of it is first asked for.
struct Module {
  const void* image = nullptr;
  std::size_t bytes = 0;
};

// A kernel as it lies on one device.
struct Kernel {
  u64 number = 0;
  answer::Kernel info;
  std::vector<std::pair<u32, u32>> parameters; // offset, size
  u32 parameter_bytes = 0;
  std::atomic<u32> max_dynamic_shared{0};
};

// How its calls are made: each waits for its answer, or not; a spare plays them again, or none does; what is sent before it is
// asked for; where they are written down.
struct Manner {
  bool strict = false;
  bool played_again = false;
  bool ahead = true;     // copies that come every round are sent before they are asked for
  bool compared = false; // replicas make the calls
  Ledger* ledger = nullptr;
  std::shared_ptr<Standing> standing = nullptr;
  Entrance entrance = {}; // of its worker; none: other workers do not come to it
  int lanes = 4;          // of links between workers
};

class VirtualDevice {
public:
  // Connects, agrees on the arena, and asks what the device is. Throws Error with one line where that cannot be. `watch`: what
  // shuts the link once its worker is silent, so it ends before the link does.
  VirtualDevice(int index, std::unique_ptr<Link> link, std::string name,
                const std::vector<ArenaPlace>& places, const Manner& manner = {},
                std::unique_ptr<Heartbeat> watch = nullptr);
  ~VirtualDevice();

  int index() const { return index_; }
  const std::string& name() const { return name_; } // "a:0", in errors
  Connection& calls() { return *connection_; }
  const answer::Description& about() const { return about_; }
  int attribute(int which) const; // a cudaDeviceAttr

  // Throws what has gone wrong since: a kernel's fault sticks, a call that failed is told once.
  void check();
  Status fault() const { return static_cast<Status>(fault_.load()); }

  u64 fresh() { return ++number_; } // for a stream, event, kernel, module

  u64 allocate(u64 bytes); // 0: out of memory
  bool release(u64 address);
  std::optional<Arena::Range> allocation(u64 address);
  bool holds(u64 address) const {
    return address >= place_.address && address - place_.address < place_.bytes;
  }
  bool holds(u64 address, u64 bytes) const { // all of them
    return holds(address) && bytes <= place_.bytes - (address - place_.address);
  }
  const ArenaPlace& place() const { return place_; }
  Neighbours& near() { return near_; } // other devices whose memory this one reaches
  Peers& peers() { return peers_; }    // others, whose workers this one's talks to
  // Others reach its memory from now on: what the program takes to be done is done when this returns.
  void is_shared();
  // Whether a worker may be asked for what is not urgent: it answers even while streams stop for functions of the program's.
  static bool may_ask() { return pending_ == 0; }
  answer::Memory memory();
  // Memory that the program reaches, too, by the device's addresses: there is none before the program first asks for it.
  Mirrored& mirrored();
  Mirrored* mirrored_if() { return mirrored_is_.load(std::memory_order_acquire); }
  // A function of the program's runs on this thread, in its stream's order.
  static bool in_function();
  // What was issued may still run: called by whatever enqueues work.
  void busy() { busy_.store(true, std::memory_order_relaxed); }
  void synchronize();

  // Loads the module where it is not yet; throws Failure. not_supported: a spare cannot play what it does.
  const Kernel& kernel(const Module& module, const std::string& name);
  answer::Variable variable(const Module& module, const std::string& name);
  void unload(const Module& module);

  // Copies of any size, in pieces of at most 4 MiB, many under way at once.
  void copy_in(u64 to, const void* from, u64 bytes, u64 stream);
  void copy_out(void* to, u64 from, u64 bytes, u64 stream);
  void copy_out_now(void* to, u64 from, u64 bytes, u64 stream); // never one that was read ahead
  // Between the device and pinned memory that its worker has too. False: not here, and the bytes have to go over the link.
  enum class Until { enqueued, done };
  bool copy_in_shared(u64 to, const void* from, u64 bytes, u64 stream, Until until);
  bool copy_out_shared(void* to, u64 from, u64 bytes, u64 stream, Until until);
  // Where these bytes lie in memory that the worker has, or takes now; nothing where it has not.
  std::optional<SharedPlace> lend(const void* address, u64 bytes);
  void take_back(u64 segment) { lending_->gone(segment); }
  const Ahead* ahead() const { return ahead_.get(); } // null: nothing is read ahead
  // Returns at once. The bytes are there when the stream has come past this, as waits and queries of the program's see it.
  void copy_out_later(void* to, u64 from, u64 bytes, u64 stream);

  // Runs on a thread of the device's own once the stream has come to it; the stream goes on when it returns.
  void host_call(u64 stream, std::function<void()> function);
  // The same of a captured stream: at each launch of its graph that was announced. Until the token is forgotten.
  u64 captured_call(u64 stream, std::function<void()> function);
  void announce(const std::vector<u64>& tokens); // a graph that holds them is about to be launched
  void forget(const std::vector<u64>& tokens);   // once the launches that were announced are done
  // The stream stops until release(token).
  u64 hold(u64 stream);
  void release_hold(u64 token);
  // Whether a function of the program's, or a copy that comes to pinned memory or from where it is shared, is still on its
  // way, on any device: what lies in pinned memory may change before a stream comes to a copy from there.
  static bool unsettled() { return pending_.load() > 0 || sharing_.load() > 0; }
  // Copies into the device at their place in the stream's order, with what the memory holds then: `copy` is called once the
  // stream has come there, with a stream that waits for nothing.
  void copy_in_order(u64 stream, std::function<void(u64 stream)> copy);
  u64 captured_copy(u64 stream, std::function<void(u64 stream)> copy); // the same, as captured_call

private:
  void work();
  Arena::Worker maps(bool shareable);
  void run_function(const std::function<void()>& function);
  void copy_out(void* to, u64 from, u64 bytes, u64 stream, Ahead* ahead);
  // Large enough, and in no stream that a function of the program's may hold up; nor where each call is waited for.
  bool by_chunks(u64 bytes, u64 least, u64 stream) const {
    return bytes > least && !strict_ && pending_ == 0 && stream < first_stream_of_functions;
  }
  std::function<void()> on_quiet(std::function<void(u64)> copy);
  u64 module_number(const Module& module);
  void need_playable(const Module& module);

  int index_;
  const bool strict_;
  std::string name_;
  ArenaPlace place_;
  void* kept_ = nullptr; // the arena's range in this process, so that nothing else comes to lie there
  answer::Description about_;
  std::map<int, int> attributes_;
  std::unique_ptr<Ahead> ahead_; // outlives the connection, whose answers come into it
  std::unique_ptr<Lending> lending_;
  std::unique_ptr<Chunks> chunks_; // called by the connection, too
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Heartbeat> watch_; // ends before the connection, which has the link
  std::atomic<u64> number_{0};
  std::atomic<bool> busy_{false};
  std::atomic<bool> ready_{false};
  std::atomic<int> fault_{0}; // sticks
  std::atomic<int> told_{0};  // once
  Neighbours near_{*this};
  Peers peers_;
  std::mutex arena_mutex_;
  std::unique_ptr<Arena> arena_;
  u64 certain_ = 0;            // so many bytes can be mapped without asking
  std::atomic<u64> mapped_{0}; // by both arenas
  std::once_flag mirrored_once_;
  std::unique_ptr<Mirrored> mirrored_; // in the last quarter of the addresses
  std::atomic<Mirrored*> mirrored_is_{nullptr};
  std::mutex modules_mutex_;
  std::map<const void*, u64> modules_;
  const bool played_again_;
  std::set<const void*> refused_; // modules
  std::map<std::pair<const void*, std::string>, std::unique_ptr<Kernel>> kernels_;
  std::mutex tasks_mutex_;
  std::condition_variable tasks_changed_;
  std::deque<std::function<void()>> tasks_;
  std::map<u64, std::function<void()>> functions_; // by token
  struct Again {                                   // of graphs
    std::function<void()> function;
    int announced = 0;
    bool forgotten = false;
  };
  std::map<u64, Again> again_;
  bool end_ = false;
  u64 quiet_ = 0; // a stream of the device's own thread
  static std::atomic<int> pending_, sharing_;
  std::thread worker_;
};

} // namespace tasuki::remote

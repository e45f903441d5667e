// A world is all ranks of a run, with one device each, and their nodes. It initialises and finalises MPI.
//
//   ts::World world(argc, argv);
//   if (world.rank() == 0) std::printf("%d ranks on %d nodes\n", world.size(), world.nodes());
//
// A node is a set of ranks that share memory: the ranks of a host, or, with --subclusters N, one of N groups of them.
#pragma once

#include <tasuki/base/error.hpp>
#include <tasuki/base/settings.hpp>

#include <mpi.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

namespace tasuki {

class Board;
class Lookout;
class Signals;

// World world(argc, argv);
//
// A program constructs its World first and destroys it last. Collective, like MPI_Init.
// Throws Error if ranks have different settings or options, and names the first such rank.
//
// While it lives, an uncaught tasuki::Error prints its one line on one rank and ends every
// rank with status 1; SIGTERM, SIGINT and SIGUSR1 ask the run to stop (see interrupted()).
// Its destruction restores the previous handlers of signals and uncaught errors.
class World {
public:
  World(int argc, char** argv); // settings from argv and the environment
  World(int argc, char** argv, Settings settings);
  // World world(argc, argv, parse_settings(argc, argv), half): only the ranks of `comm`, for programs that use MPI
  // themselves. The world duplicates `comm`, and uses no other communicator; the caller still owns `comm` and MPI.
  // Several groups of ranks may each have a world. An error ends the ranks of `comm`, and with most launchers the run.
  World(int argc, char** argv, Settings settings, MPI_Comm comm);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int node() const { return node_; }                                // the node of this rank, from 0
  int nodes() const { return nodes_; }                              // the number of nodes
  int node_rank() const { return node_ranks_.at(rank_); }           // this rank's number on its node
  int node_size() const { return node_size_; }                      // the number of ranks on this node
  int node_of(int rank) const { return node_of_.at(rank); }         // the node of any rank
  int node_rank_of(int rank) const { return node_ranks_.at(rank); } // its number on its node
  bool same_node(int a, int b) const { return node_of_.at(a) == node_of_.at(b); }
  int host_count() const { return host_count_; } // machines, regardless of subclusters
  int host_size() const { return host_size_; }   // the number of ranks on this host
  int host_rank() const { return host_rank_; }   // this rank's number on its host
  int host_of(int rank) const { return host_of_.at(rank); }
  bool same_host(int a, int b) const { return host_of_.at(a) == host_of_.at(b); }

  MPI_Comm comm() const { return comm_; }           // all ranks; a duplicate for the library
  MPI_Comm node_comm() const { return node_comm_; } // the ranks of this node
  MPI_Comm host_comm() const { return host_comm_; } // the ranks of this host
  const Settings& settings() const { return settings_; }
  int threads() const { return threads_; } // OpenMP threads of this rank
  bool crowded() const {
    return crowded_;
  } // this host has more threads than cores, so that waiting threads yield their cores
  int thread_level() const { return thread_level_; } // of MPI: MPI_THREAD_MULTIPLE lets any thread call it
  // The cores reserved for this rank's communication threads; empty if --progress-cores lists none.
  const std::vector<int>& progress_cores() const { return progress_cores_; }
  std::vector<std::string> hosts() const; // host name of each node. Collective.

  // True after a signal has asked the run to stop. Local: executors make all ranks stop after the same step.
  bool interrupted() const;

  // Waits until done() is true, yielding the core if other ranks need it. Throws Error with the rank if a
  // rank of this host dies meanwhile. `what` describes the event in error messages.
  void wait_until(const std::function<bool()>& done, const char* what);

  // Throws the same Error if a rank of this host has died. May be called from any thread.
  void expect_neighbours(const char* what) const;

  // Sets this rank's current activity, for messages about a rank that is late. The cost is one store. The text must
  // live until the next call (see Doing). Only the thread that constructed the world may call it, as with Waiting.
  void doing(const char* what) { doing_.store(what, std::memory_order_relaxed); }
  const char* what_it_does() const { return doing_.load(std::memory_order_relaxed); }
  const char* what_it_waits_for() const { return waits_for_.load(std::memory_order_relaxed); }

  Board& board() const { return *board_; } // status of the ranks of this host

  // A per-world object of a higher room (the device, a cache): constructed at first use, destroyed with the world.
  template <class T, class... A>
  T& part(A&&... args) {
    void*& part = parts_[std::type_index(typeid(T))];
    if (!part) {
      auto made = std::make_shared<T>(*this, std::forward<A>(args)...); // after the parts that it uses
      part = made.get();
      order_.push_back(std::move(made));
    }
    return *static_cast<T*>(part);
  }

private:
  friend class Doing;
  friend class Waiting;
  void begin(const char* program);
  void find_hosts();
  void find_nodes();
  void keep_cores_free();
  void count_cores();

  Settings settings_;
  bool owns_mpi_ = false;
  int rank_ = 0, size_ = 1, node_ = 0, nodes_ = 1, node_size_ = 1, threads_ = 1;
  int thread_level_ = 0;
  bool crowded_ = false;
  int host_count_ = 1, host_size_ = 1, host_rank_ = 0;
  std::vector<int> node_of_, node_ranks_, host_of_;
  std::vector<int> progress_cores_;
  std::vector<int> own_cores_; // of this process before it gave up some for communication threads; else empty
  MPI_Comm comm_ = MPI_COMM_NULL, host_comm_ = MPI_COMM_NULL, node_comm_ = MPI_COMM_NULL;
  std::unique_ptr<Signals> signals_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<Lookout> lookout_;
  std::atomic<const char*> doing_{"the start"}, waits_for_{nullptr};
  int waits_ = 0; // nesting depth of Waiting
  std::map<std::type_index, void*> parts_;
  std::vector<std::shared_ptr<void>> order_; // the parts in the order of construction
};

// Sets a rank's activity while this object exists: Doing now(world, "the making of a grid").
class Doing {
public:
  Doing(World& world, const char* what) : world_(world), before_(world.what_it_does()) { world.doing(what); }
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

private:
  World& world_;
  const char* before_;
};

// Sets what a rank waits for while this object exists: around an MPI call that blocks until other ranks have called it.
class Waiting {
public:
  Waiting(World& world, const char* what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

private:
  World& world_;
  const char* before_;
};

// True while an exception unwinds the stack: a collective call would then wait for ranks that never call it.
bool unwinding();

// Binds the calling thread, and threads that it creates later, to these cores; false if the system refuses.
bool bind_this_thread(const std::vector<int>& cores);

} // namespace tasuki

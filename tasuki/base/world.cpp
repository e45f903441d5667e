#include <tasuki/base/world.hpp>

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

namespace tasuki {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t stop_requested = 0;
int process_rank = 0;
std::atomic<int>* error_claim = nullptr; // shared by the ranks of a node: who prints the error

void request_stop(int) { stop_requested = 1; }

// Prints the line on one rank of a node, rank 0 first if it has one too, and ends the run everywhere.
[[noreturn]] void end_run(const char* line) {
  if (process_rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  if (!error_claim || error_claim->exchange(1) == 0) {
    std::fprintf(stderr, "\ntasuki: %s\n", line);
    std::fflush(stderr);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(50)); // the launcher forwards it before it hears of the end
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::this_thread::sleep_for(std::chrono::seconds(5)); // the rank that printed ends us
  _exit(1);
}

[[noreturn]] void on_terminate() {
  try {
    if (const auto fault = std::current_exception()) std::rethrow_exception(fault);
  } catch (const std::bad_alloc&) {
    end_run("a rank is out of memory; use a smaller grid or more ranks");
  } catch (const std::exception& fault) {
    end_run(fault.what());
  } catch (...) {}
  end_run("the program ended for an unknown reason; run it under a debugger");
}

// Cores that this process may use: what it is bound to, or all of the node.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

} // namespace

bool unwinding() { return std::uncaught_exceptions() > 0; }

World::World(int argc, char** argv) : World(argc, argv, parse_settings(argc, argv)) {}

World::World(int argc, char** argv, Settings settings) : settings_(std::move(settings)) {
  int ready = 0;
  MPI_Initialized(&ready);
  if (!ready) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    owns_mpi_ = true;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  process_rank = rank_;
  find_nodes();
  watch_peers();
  std::set_terminate(on_terminate);

  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaction(number, &action, nullptr);

  // A rank bound to its own cores uses those; ranks that share the node's cores share them evenly.
  const int cores = usable_cores();
  const int whole = static_cast<int>(std::thread::hardware_concurrency());
  threads_ = settings_.threads                ? settings_.threads
             : std::getenv("OMP_NUM_THREADS") ? omp_get_max_threads()
             : cores < whole                  ? cores
                                              : std::max(1, cores / node_size_);
  omp_set_num_threads(threads_);
}

World::~World() {
  while (!order_.empty()) order_.pop_back(); // last made, first destroyed
  for (auto& [type, slot] : parts_) slot.reset();
  if (unwinding()) return;
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) signal(number, SIG_DFL);
  error_claim = nullptr;
  MPI_Win_free(&board_);
  MPI_Comm_free(&node_comm_);
  MPI_Comm_free(&comm_);
  if (owns_mpi_) MPI_Finalize();
}

void World::find_nodes() {
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_comm_);
  int node_rank = 0;
  MPI_Comm_rank(node_comm_, &node_rank);
  MPI_Comm_size(node_comm_, &node_size_);
  // A node is named by its lowest rank; the names are then counted.
  int leader = rank_;
  MPI_Bcast(&leader, 1, MPI_INT, 0, node_comm_);
  struct Place {
    int leader, node_rank;
  } mine{leader, node_rank};
  std::vector<Place> all(size_);
  MPI_Allgather(&mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm_);
  std::vector<int> leaders;
  for (const Place& p : all) leaders.push_back(p.leader);
  std::sort(leaders.begin(), leaders.end());
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  nodes_ = static_cast<int>(leaders.size());
  for (const Place& p : all) {
    const auto at = std::lower_bound(leaders.begin(), leaders.end(), p.leader);
    node_of_.push_back(static_cast<int>(at - leaders.begin()));
    node_ranks_.push_back(p.node_rank);
  }
  node_ = node_of_[rank_];
}

void World::watch_peers() {
  const int pid = static_cast<int>(getpid());
  pids_.resize(node_size_);
  MPI_Allgather(&pid, 1, MPI_INT, pids_.data(), 1, MPI_INT, node_comm_);
  void* mine = nullptr;
  const bool first = node_rank() == 0;
  MPI_Win_allocate_shared(first ? sizeof(std::atomic<int>) : 0, 1, MPI_INFO_NULL, node_comm_, &mine, &board_);
  MPI_Aint bytes = 0;
  int unit = 0;
  void* board = nullptr;
  MPI_Win_shared_query(board_, 0, &bytes, &unit, &board);
  error_claim = static_cast<std::atomic<int>*>(board);
  if (first) error_claim->store(0);
  MPI_Barrier(node_comm_);
}

std::vector<std::string> World::hosts() const {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::vector<char> all(static_cast<std::size_t>(size_) * sizeof name);
  MPI_Allgather(name, sizeof name, MPI_CHAR, all.data(), sizeof name, MPI_CHAR, comm_);
  std::vector<std::string> names(nodes_);
  for (int r = 0; r < size_; ++r) names[node_of_[r]] = &all[static_cast<std::size_t>(r) * sizeof name];
  return names;
}

bool World::interrupted() const { return stop_requested != 0; }

void World::wait_until(const std::function<bool()>& done, const char* what) {
  static const bool crowded = node_size_ * threads_ > static_cast<int>(std::thread::hardware_concurrency());
  auto next_look = Clock::now() + std::chrono::milliseconds(500);
  for (long turn = 0; !done(); ++turn) {
    if (crowded || turn > 100000) sched_yield();
    if ((turn & 1023) != 1023 || Clock::now() < next_look) continue;
    next_look = Clock::now() + std::chrono::milliseconds(500);
    for (int r = 0; r < node_size_; ++r)
      if (kill(pids_[r], 0) != 0 && errno == ESRCH) {
        int dead = 0;
        while (node_of_[dead] != node_ || node_ranks_[dead] != r) ++dead;
        throw Error("rank " + std::to_string(dead) + " died while rank " + std::to_string(rank_) +
                        " waited for " + what,
                    "look for its message above, or restart from the last checkpoint");
      }
  }
}

} // namespace tasuki

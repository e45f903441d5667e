#include <tasuki/base/variables.hpp>
#include <tasuki/base/world.hpp>

#include <tasuki/base/agree.hpp>
#include <tasuki/base/board.hpp>
#include <tasuki/base/lookout.hpp>
#include <tasuki/base/signals.hpp>
#include <tasuki/base/standard_output.hpp>
#include <tasuki/base/subset.hpp>

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <thread>

namespace tasuki {
namespace {

using Clock = std::chrono::steady_clock;

// The cores that the calling thread may use: those that it is bound to, or all of the node.
std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

} // namespace

bool bind_this_thread(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

bool unwinding() { return std::uncaught_exceptions() > 0; }

namespace {

// Unknown variables are reported once per process, by one rank; invalid values are errors.
void look_at_variables(int rank) {
  static bool told = false;
  check_variables();
  if (std::exchange(told, true) || rank != 0) return;
  const std::string warning = about_unknown(names_in_environment());
  if (!warning.empty()) std::fprintf(stderr, "tasuki: %s\n", warning.c_str());
}

void expect_alike(World& world, const std::string& program) {
  Terms terms{{"program", program.substr(program.rfind('/') + 1)}, {"tasuki", TASUKI_VERSION}};
  for (const Terms& more : {shared_settings(world.settings()), world.settings().program})
    terms.insert(terms.end(), more.begin(), more.end());
  agree(world, "starts", terms);
}

} // namespace

World::World(int argc, char** argv) : World(argc, argv, parse_settings(argc, argv)) {}

World::World(int argc, char** argv, Settings settings) : settings_(std::move(settings)) {
  guard_standard_output();
  int ready = 0;
  MPI_Initialized(&ready);
  if (!ready) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    owns_mpi_ = true;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  begin(argc > 0 ? argv[0] : "");
}

World::World(int argc, char** argv, Settings settings, MPI_Comm comm) : settings_(std::move(settings)) {
  const char* const mend =
      "call MPI_Init_thread first, and make a World on the ranks of the communicator alone";
  int ready = 0, joins_two = 0;
  MPI_Initialized(&ready);
  if (!ready) throw Error("a World was given a communicator before MPI was started", mend);
  if (comm == MPI_COMM_NULL) throw Error("a World was given no communicator", mend);
  MPI_Comm_test_inter(comm, &joins_two);
  if (joins_two)
    throw Error("a World was given an intercommunicator", "merge it by MPI_Intercomm_merge first");
  MPI_Comm_dup(comm, &comm_);
  begin(argc > 0 ? argv[0] : "");
}

void World::begin(const char* program) {
  MPI_Query_thread(&thread_level_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  find_hosts();
  board_ = std::make_unique<Board>(comm_, host_comm_, host_of_[rank_]);
  signals_ = std::make_unique<Signals>();
  std::vector<int> here;
  for (int r = 0; r < size_; ++r)
    if (same_host(r, rank_)) here.push_back(r);
  if (size_ > 1) lookout_ = std::make_unique<Lookout>(*this, *board_, std::move(here));
  look_at_variables(rank_);
  const Waiting others(*this, "the ranks to find each other");
  keep_subsets(*this);
  look_at_variables(rank_);
  expect_alike(*this, program);
  find_nodes();

  // A rank bound to its own cores uses these; ranks that share the node's cores use equal shares.
  const int whole = static_cast<int>(std::thread::hardware_concurrency());
  const bool bound = static_cast<int>(usable_cores().size()) < whole;
  keep_cores_free();
  const int cores = static_cast<int>(usable_cores().size());
  threads_ = settings_.threads                ? settings_.threads
             : std::getenv("OMP_NUM_THREADS") ? omp_get_max_threads()
             : bound                          ? cores
                                              : std::max(1, cores / host_size_);
  omp_set_num_threads(threads_);
  count_cores();
}

World::~World() {
  if (!unwinding())
    agree(*this, "ends its world", {});      // an Error here acts as an uncaught one: it ends the run
  while (!order_.empty()) order_.pop_back(); // in reverse order of construction
  if (!own_cores_.empty()) bind_this_thread(own_cores_);
  lookout_.reset();
  signals_.reset();
  board_.reset();
  if (unwinding()) return;
  MPI_Comm_free(&node_comm_);
  MPI_Comm_free(&host_comm_);
  MPI_Comm_free(&comm_);
  if (owns_mpi_) MPI_Finalize();
}

namespace {

// Numbers groups of ranks, each identified by its lowest rank, in ascending order; returns each rank's group number.
std::vector<int> numbered(const std::vector<int>& leaders, int& count) {
  std::vector<int> names = leaders, numbers;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  count = static_cast<int>(names.size());
  for (const int leader : leaders)
    numbers.push_back(static_cast<int>(std::lower_bound(names.begin(), names.end(), leader) - names.begin()));
  return numbers;
}

int leader_of(MPI_Comm group, int rank) {
  MPI_Bcast(&rank, 1, MPI_INT, 0, group);
  return rank;
}

} // namespace

void World::find_hosts() {
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host_comm_);
  MPI_Comm_rank(host_comm_, &host_rank_);
  MPI_Comm_size(host_comm_, &host_size_);
  const int mine = leader_of(host_comm_, rank_);
  std::vector<int> leaders(size_);
  MPI_Allgather(&mine, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm_);
  host_of_ = numbered(leaders, host_count_);
}

void World::find_nodes() {
  // Groups of consecutive ranks of a host, of nearly equal size.
  const int groups = settings_.subclusters;
  int least = host_size_;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm_);
  if (groups < 1 || groups > least)
    throw Error("--subclusters " + std::to_string(groups) + ", but a host has " + std::to_string(least) +
                    (least == 1 ? " rank" : " ranks"),
                "take 1 to " + std::to_string(least) + ", or start more ranks a host");
  const int group = static_cast<int>(static_cast<long>(host_rank_) * groups / host_size_);
  MPI_Comm_split(host_comm_, group, host_rank_, &node_comm_);
  int node_rank = 0;
  MPI_Comm_rank(node_comm_, &node_rank);
  MPI_Comm_size(node_comm_, &node_size_);

  struct Place {
    int leader, node_rank;
  } mine{leader_of(node_comm_, rank_), node_rank};
  std::vector<Place> all(size_);
  MPI_Allgather(&mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm_);
  std::vector<int> leaders;
  for (const Place& p : all) {
    leaders.push_back(p.leader);
    node_ranks_.push_back(p.node_rank);
  }
  node_of_ = numbered(leaders, nodes_);
  node_ = node_of_[rank_];
}

// Reserves the listed cores for communication threads, divided evenly among the ranks of the host; all other threads
// of this process inherit an affinity without these cores, unless no core would remain.
void World::keep_cores_free() {
  const std::vector<int> listed = parse_progress_cores(settings_.progress_cores).cores;
  if (listed.empty()) return;
  const int count = static_cast<int>(listed.size()), each = std::max(1, count / host_size_);
  for (int i = 0; i < each; ++i) progress_cores_.push_back(listed[(host_rank_ * each + i) % count]);

  const std::vector<int> before = usable_cores();
  for (const int core : progress_cores_) {
    if (bind_this_thread({core})) continue;
    bind_this_thread(before);
    throw Error("--progress-cores names core " + std::to_string(core) + ", which rank " +
                    std::to_string(rank_) + " may not use",
                "name cores that `taskset -p $$` shows, or take --progress-cores any");
  }
  std::vector<int> rest;
  std::copy_if(before.begin(), before.end(), std::back_inserter(rest),
               [&](int core) { return std::find(listed.begin(), listed.end(), core) == listed.end(); });
  bind_this_thread(rest.empty() ? before : rest);
  own_cores_ = before;
}

// The first ranks of the nodes gather the names, and broadcast them on their nodes.
std::vector<std::string> World::hosts() const {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  const bool first = node_rank() == 0;
  MPI_Comm firsts = MPI_COMM_NULL;
  MPI_Comm_split(comm_, first ? 0 : MPI_UNDEFINED, node_, &firsts);
  int total = 0;
  std::string all; // concatenated names, each terminated by 0
  if (first) {
    const int mine = static_cast<int>(std::strlen(name)) + 1;
    std::vector<int> counts(static_cast<std::size_t>(nodes_)), starts;
    MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, firsts);
    for (const int count : counts) {
      starts.push_back(total);
      total += count;
    }
    all.resize(static_cast<std::size_t>(total));
    MPI_Allgatherv(name, mine, MPI_CHAR, all.data(), counts.data(), starts.data(), MPI_CHAR, firsts);
    MPI_Comm_free(&firsts);
  }
  MPI_Bcast(&total, 1, MPI_INT, 0, node_comm_);
  all.resize(static_cast<std::size_t>(total));
  MPI_Bcast(all.data(), total, MPI_CHAR, 0, node_comm_);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size(); at += names.back().size() + 1) names.emplace_back(&all[at]);
  return names;
}

// The ranks of a host exchange the cores that their threads may use: bound ranks have separate cores, others share.
void World::count_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const int core : usable_cores()) CPU_SET(core, &cores);
  for (const int core : progress_cores_) CPU_SET(core, &cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, host_comm_);
  const bool any = parse_progress_cores(settings_.progress_cores).wish == ProgressCores::Wish::any;
  int threads = threads_ + (any ? 1 : static_cast<int>(progress_cores_.size()));
  MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_SUM, host_comm_);
  crowded_ = threads > CPU_COUNT(&cores) || threads_ > static_cast<int>(usable_cores().size());
}

bool World::interrupted() const { return Signals::told(); }

Doing::~Doing() {
  world_.doing(before_);
  if (world_.lookout_) world_.lookout_->forget();
}

// The word is odd while a rank waits, and different in each wait.
Waiting::Waiting(World& world, const char* what) : world_(world), before_(world.what_it_waits_for()) {
  world_.waits_for_.store(what, std::memory_order_relaxed);
  auto& word = world_.board_->own().wait;
  word.store(word.load(std::memory_order_relaxed) + (world_.waits_++ ? 2 : 1), std::memory_order_relaxed);
}

Waiting::~Waiting() {
  auto& word = world_.board_->own().wait;
  word.store(word.load(std::memory_order_relaxed) + (--world_.waits_ ? 2 : 1), std::memory_order_relaxed);
  world_.waits_for_.store(before_, std::memory_order_relaxed);
  if (world_.lookout_) world_.lookout_->forget();
}

void World::wait_until(const std::function<bool()>& done, const char* what) {
  const Waiting now(*this, what);
  auto next_look = Clock::now() + std::chrono::milliseconds(500);
  for (long turn = 0; !done(); ++turn) {
    if (crowded_ || turn > 4096) sched_yield();
    if ((turn & 1023) != 1023 || Clock::now() < next_look) continue;
    next_look = Clock::now() + std::chrono::milliseconds(500);
    expect_neighbours(what);
  }
}

void World::expect_neighbours(const char* what) const {
  for (int r = 0; r < host_size_; ++r)
    if (kill(board_->line(r).pid, 0) != 0 && errno == ESRCH) {
      int dead = 0; // the r-th rank of this host
      for (int before = -1; dead < size_ && (before += same_host(dead, rank_)) < r;) ++dead;
      throw Error("rank " + std::to_string(dead) + " died while rank " + std::to_string(rank_) +
                      " waited for " + what,
                  "look for its message above, or restart from the last checkpoint");
    }
}

} // namespace tasuki

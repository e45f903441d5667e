#include <tasuki/base/lookout.hpp>

#include <tasuki/base/board.hpp>
#include <tasuki/base/signals.hpp>
#include <tasuki/base/variables.hpp>
#include <tasuki/base/world.hpp>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tasuki {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kAfter = 20; // seconds
constexpr double kAgain = 3;  // the interval of repetitions, in multiples of that

double seconds_after() { return variable_number<double>("TASUKI_WATCH_AFTER").value_or(kAfter); }

// The state letter of proc(5): R, S, D, T, Z; none if there is no such process.
char process_state(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t at = text.rfind(") ");
  return at == std::string::npos || at + 2 >= text.size() ? '\0' : text[at + 2];
}

std::string seconds_text(double seconds) { return std::to_string(static_cast<long>(seconds + 0.5)) + " s"; }

} // namespace

Lookout::Lookout(const World& world, Board& board, std::vector<int> ranks)
    : world_(world),
      board_(board),
      ranks_(std::move(ranks)),
      after_(seconds_after()),
      patience_(world.settings().patience),
      seen_(ranks_.size()) {
  // Signals are blocked in this thread, so that threads of the program receive them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Lookout::~Lookout() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

// Sequentially consistent: either this rank sees that the thread is reading texts, or the thread sees the new ones.
void Lookout::forget() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!reads_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(names_);
}

void Lookout::read_names() {
  const std::lock_guard lock(names_);
  reads_ = true;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const char* const what = world_.what_it_waits_for();
  doing_ = world_.what_it_does();
  waits_for_ = what ? what : "the other ranks";
  reads_ = false;
}

void Lookout::work() {
  const double least = patience_ > 0 ? std::min(after_, patience_) : after_;
  const std::chrono::duration<double> pause(std::min(0.25, least / 4));
  auto last = Clock::now();
  for (std::unique_lock lock(mutex_); !wake_.wait_for(lock, pause, [this] { return over_; });) {
    const auto now = Clock::now();
    // Time during which this process itself was stopped does not count as a delay of others.
    const std::chrono::duration<double> passed = now - last;
    last = now;
    publish();
    look(std::min(passed.count(), 4 * pause.count()));
  }
}

void Lookout::publish() {
  read_names();
  auto& there = board_.own().doing;
  const std::size_t most = std::min<std::size_t>(doing_.size(), Board::Line::kText - 1);
  for (std::size_t k = 0; k < most; ++k) there[k] = doing_[k];
  there[most] = '\0';
}

void Lookout::look(double seconds) {
  double stopped = 0;
  const auto me = static_cast<std::size_t>(world_.host_rank());
  // A rank that makes progress need not check the processes of other ranks.
  const bool idle = seen_[me].still >= std::min(1.0, after_ / 4);
  for (std::size_t r = 0; r < seen_.size(); ++r) {
    const Board::Line& rank = board_.line(static_cast<int>(r));
    Seen now{rank.turn, rank.wait, State::runs, 0};
    const char state = r == me || !idle ? 'R' : process_state(rank.pid);
    if (state == 'T' || state == 't') now.state = State::stopped;
    if (state == '\0' || state == 'Z' || state == 'X') now.state = State::dead;
    Seen& was = seen_[r];
    if (now.turn == was.turn && now.wait == was.wait && now.state == was.state)
      now.still = was.still + seconds;
    was = now;
    if (now.state == State::stopped) stopped = std::max(stopped, now.still);
    // Ranks in wait_until() have reported it by now; this is for a rank that is blocked inside MPI.
    if (now.state == State::dead && now.still > 2)
      end_run("rank " + std::to_string(ranks_[r]) + " died while rank " + std::to_string(world_.rank()) +
              " was at " + doing_ + "; look for its message above, or restart from the last checkpoint");
  }
  const bool waits = seen_[me].wait % 2 == 1;
  const double waited = std::max(stopped, waits ? seen_[me].still : 0);
  if (patience_ > 0 && waited >= patience_) end_run(line(waited));
  if (waited < after_ || !knows() || !speaks()) return;
  std::fprintf(stderr, "\ntasuki: %s\n", line(waited).c_str());
  std::fflush(stderr);
}

// Whether this rank should report: if many hosts wait for another one, only the first two report.
bool Lookout::knows() const {
  if (world_.host_of(world_.rank()) < 2) return true;
  for (int r = 0; r < board_.size(); ++r)
    if (!late(r).empty()) return true;
  return false;
}

// True for one rank of a host per interval.
bool Lookout::speaks() {
  const long now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
  std::atomic<long>& next = board_.head().next_words;
  long due = next;
  return now >= due && next.compare_exchange_strong(due, now + static_cast<long>(kAgain * after_ * 1000));
}

// The description of a rank that may be the late one; empty if that rank itself waits.
std::string Lookout::late(int host_rank) const {
  const Seen& seen = seen_[static_cast<std::size_t>(host_rank)];
  const Board::Line& rank = board_.line(host_rank);
  if (host_rank == world_.host_rank()) return "";
  const std::string who = "rank " + std::to_string(ranks_[static_cast<std::size_t>(host_rank)]);
  if (seen.state == State::stopped) return who + " is stopped (process " + std::to_string(rank.pid) + ")";
  if (seen.wait % 2 == 1 || seen.still < std::min(after_, 1.0)) return "";
  std::string doing;
  for (const std::atomic<char>& letter : rank.doing) {
    if (letter == '\0') break;
    doing += letter;
  }
  return who + " has not come: it is busy or hangs at " + doing + " (process " + std::to_string(rank.pid) +
         ")";
}

std::string Lookout::line(double seconds) const {
  const std::string text = "rank " + std::to_string(world_.rank()) + " has waited " + seconds_text(seconds) +
                           " for " + waits_for_ + " at " + doing_ + ", and ";
  const std::string bound = patience_ > 0 ? "give --patience more seconds if it may be that late"
                                          : "--patience SECONDS ends such a run";
  // Stopped ranks first: a late rank may itself wait for one of them without a record of it.
  for (const bool stopped : {true, false})
    for (int r = 0; r < board_.size(); ++r) {
      const bool is = seen_[static_cast<std::size_t>(r)].state == State::stopped;
      const std::string whom = late(r);
      if (is != stopped || whom.empty()) continue;
      return text + whom + "; " +
             (is ? "continue it by kill -CONT, or end the run ("
                 : "look at it with a debugger, or end the run (") +
             bound + ")";
    }
  if (world_.host_count() > 1)
    return text + "no rank of its host is late; look at those of the other hosts (" + bound + ")";
  return text + "all others of its host wait as well; see whether all ranks do the same steps (" + bound +
         ")";
}

} // namespace tasuki

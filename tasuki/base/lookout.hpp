// A thread on each rank that notices when another rank keeps it waiting. It names the rank and the place, and ends the run
// after --patience.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tasuki {

class World;
class Board;

// It looks four times a second at what the ranks of the host say of themselves and at the state of their processes, so it
// costs steps nothing. A line is printed once a host: after 20 s (for tests: TASUKI_WATCH_AFTER=seconds), and again as
// long as three times that has passed since.
class Lookout {
public:
  // `ranks`: of this host, by their number there.
  Lookout(const World& world, Board& board, std::vector<int> ranks);
  ~Lookout();
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;

  // What Doing or Waiting named may end now: nobody reads it.
  void forget();

private:
  enum class State { runs, stopped, dead };
  struct Seen { // of a rank of the host
    long turn = 0;
    unsigned wait = 0;
    State state = State::runs;
    double still = 0; // seconds since any of these changed
  };

  void work();
  void look(double seconds);
  void publish();
  bool knows() const;
  bool speaks();
  std::string late(int host_rank) const;
  std::string line(double seconds) const;
  void read_names();

  const World& world_;
  Board& board_;
  const std::vector<int> ranks_;
  const double after_, patience_;
  std::vector<Seen> seen_;
  std::string doing_, waits_for_; // this rank, as it was looked at last
  std::mutex mutex_, names_;
  std::atomic<bool> reads_{false}; // names, or is about to
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_; // the last: it uses the rest
};

} // namespace tasuki

// A thread on each rank that detects when another rank keeps this one waiting. It reports that rank and its activity,
// and ends the run after --patience.
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

// It polls the boards of the host's ranks and the states of their processes four times a second, which does not
// slow steps. A message is printed once per host: after 20 s (for tests: TASUKI_WATCH_AFTER=seconds), and again when
// three times that has passed.
class Lookout {
public:
  // `ranks`: world ranks of this host, in the order of host ranks.
  Lookout(const World& world, Board& board, std::vector<int> ranks);
  ~Lookout();
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;

  // Returns when the thread no longer uses the text of Doing or Waiting, which may then be destroyed.
  void forget();

private:
  enum class State { runs, stopped, dead };
  struct Seen { // the last observed status of a rank of this host
    long turn = 0;
    unsigned wait = 0;
    State state = State::runs;
    double still = 0; // seconds since the last change of the above
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
  std::string doing_, waits_for_; // of this rank, at the last poll
  std::mutex mutex_, names_;
  std::atomic<bool> reads_{false}; // true while the thread reads the texts
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_; // constructed last, since it uses the other members
};

} // namespace tasuki

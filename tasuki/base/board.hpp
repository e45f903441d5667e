// What the ranks of a host write for each other to see, in memory that they share: no message, no wait.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace tasuki {

// One a world and host. Words are read by other processes, so all are atomic and free of locks.
class Board {
public:
  // What is said once a host.
  struct Head {
    std::atomic<int> claim;      // 1: a rank has taken it upon itself to print the error that ends the run
    std::atomic<int> asking;     // 1: a rank was told to stop and looks where all of them can (see Vote)
    std::atomic<int> decided;    // 1: `last_turn` holds
    std::atomic<long> last_turn; // of the turns that all ranks do before they stop
    std::atomic<long>
        next_words; // ms of the steady clock, before which no rank names again the one that is waited for
  };
  // What a rank says of itself. A line of its own, which no other rank stores into.
  struct alignas(128) Line {
    static constexpr int kText = 80;
    std::atomic<int> pid;
    std::atomic<long> turn;          // the last stretch of steps that it began, counted from 1 (see Vote)
    std::atomic<std::uint32_t> wait; // odd while it waits for other ranks; grows at every change
    std::atomic<char> doing[kText];  // what it is at, as a text; for lines that name it
  };

  Board(MPI_Comm all, MPI_Comm host, int number); // of a world's ranks, and of those of this host. Collective
  ~Board();                                       // collective, but not while an error unwinds
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  Head& head() const { return *head_; }
  Line& line(int host_rank) const { return lines_[host_rank]; }
  Line& own() const { return lines_[rank_]; }
  int size() const { return size_; }
  MPI_Comm all() const { return all_; }
  int host() const { return host_; } // its number among the hosts of the world

  // That of the world made last, for an error that is no world's own; null where there is none.
  static Board* current();

private:
  MPI_Comm all_;
  int host_;
  int rank_ = 0, size_ = 1;
  MPI_Win window_ = MPI_WIN_NULL;
  Head* head_ = nullptr;
  Line* lines_ = nullptr;
};

} // namespace tasuki

// Status words of the ranks of a host in shared memory, which other ranks read without messages or waits.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace tasuki {

// One per world and host. Other processes read the words, so all are atomic and lock-free.
class Board {
public:
  // The words that a host has once.
  struct Head {
    std::atomic<int> claim;      // 1: a rank has claimed the printing of the error that ends the run
    std::atomic<int> asking;     // 1: a rank has received a signal and requests a stop (see Vote)
    std::atomic<int> decided;    // 1: `last_turn` is valid
    std::atomic<long> last_turn; // the last stretch that all ranks do before they stop
    std::atomic<long>
        next_words; // ms of the steady clock before which no rank repeats the message about a late rank
  };
  // The words of one rank, in separate cache lines, which no other rank writes.
  struct alignas(128) Line {
    static constexpr int kText = 80;
    std::atomic<int> pid;
    std::atomic<long> turn;          // the last stretch of steps that it has begun, from 1 (see Vote)
    std::atomic<std::uint32_t> wait; // odd while it waits for other ranks; increases at every change
    std::atomic<char> doing[kText];  // its current activity as a text, for messages about it
  };

  Board(MPI_Comm all, MPI_Comm host, int number); // of a world's ranks and of those on this host; collective
  ~Board();                                       // collective, except while an error unwinds
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  Head& head() const { return *head_; }
  Line& line(int host_rank) const { return lines_[host_rank]; }
  Line& own() const { return lines_[rank_]; }
  int size() const { return size_; }
  MPI_Comm all() const { return all_; }
  int host() const { return host_; } // the number of this host among those of the world

  // The board of the newest world, for errors that belong to no world; null if there is none.
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

#include <tasuki/base/board.hpp>

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <vector>

namespace tasuki {
namespace {

static_assert(std::atomic<long>::is_always_lock_free && std::atomic<char>::is_always_lock_free);

std::mutex boards_mutex;
std::vector<Board*> boards; // that exist, in the order of construction

} // namespace

Board* Board::current() {
  const std::lock_guard lock(boards_mutex);
  return boards.empty() ? nullptr : boards.back();
}

Board::Board(MPI_Comm all, MPI_Comm host, int number) : all_(all), host_(number) {
  MPI_Comm_rank(host, &rank_);
  MPI_Comm_size(host, &size_);
  const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(Line)) * (1 + size_) + alignof(Line);
  void* memory = nullptr;
  MPI_Win_allocate_shared(rank_ == 0 ? bytes : 0, 1, MPI_INFO_NULL, host, static_cast<void*>(&memory),
                          &window_);
  MPI_Aint there = 0;
  int unit = 0;
  MPI_Win_shared_query(window_, 0, &there, &unit, static_cast<void*>(&memory));
  static_assert(sizeof(Head) <= sizeof(Line));
  // Processes map the window at different multiples of a page, so the aligned offset of the lines is the same in all.
  auto* const at = static_cast<char*>(memory);
  const auto past = reinterpret_cast<std::uintptr_t>(at) % alignof(Line);
  char* const first = at + (past ? alignof(Line) - past : 0);
  if (rank_ == 0) {
    new (first) Head{};
    for (int r = 0; r < size_; ++r) new (first + (1 + r) * sizeof(Line)) Line{};
  }
  head_ = reinterpret_cast<Head*>(first);
  lines_ = reinterpret_cast<Line*>(first + sizeof(Line));
  MPI_Barrier(host);
  own().pid = static_cast<int>(getpid());
  MPI_Barrier(host);
  const std::lock_guard lock(boards_mutex);
  boards.push_back(this);
}

Board::~Board() {
  {
    const std::lock_guard lock(boards_mutex);
    boards.erase(std::find(boards.begin(), boards.end(), this));
  }
  if (std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

} // namespace tasuki

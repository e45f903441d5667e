// Random programs against a plain array: in each phase threads of all ranks write bytes that no other writes, count under locks
// and by atomic acts, read others' bytes by touches, runs and boxes, and synchronise. TASUKI_TEST_SEED repeats one,
// TASUKI_TEST_PHASES makes it longer.
#include <tests/space/spaces.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

namespace tasuki::test {
namespace {

constexpr int kMostThreads = 3; // of a rank
constexpr std::uint64_t kLocks = 2;
constexpr std::size_t kApart = 600; // numbers from one counter to the next: on another page

space::Map random_map(Random& numbers, int ranks, long elements) {
  const long rows = pick(numbers, 2, 40), parts = std::min(rows, pick(numbers, 1, 2L * ranks));
  const long columns = elements / rows, cut = pick(numbers, 0, 3) ? 1 : std::min(columns, 2L);
  const int first = static_cast<int>(pick(numbers, 0, ranks - 1));
  return {{rows, columns}, {parts, cut}, 1, first, static_cast<int>(pick(numbers, 1, ranks - first))};
}

class Play {
public:
  // `most`: elements of its array.
  Play(Space& space, std::uint64_t stream, long most)
      : space_(space),
        numbers_(random(stream)),
        threads_(static_cast<int>(pick(numbers_, 1, kMostThreads))),
        map_(random_map(numbers_, space.world().size(), pick(numbers_, most * 3 / 4, most))),
        a_(space.array<unsigned char>(map_.extents(), map_, "a")),
        counters_(space.array<long>({kLocks * kApart + 1}, counters_map(), "counters")),
        plain_(a_.size(), 0),
        writer_(a_.size(), 0) {
    for (int thread = 0; thread < threads_; ++thread)
      own_.push_back(random(stream * 1000 + 77 + static_cast<std::uint64_t>(id(thread))));
  }

  void phase() {
    plan();
    together([this](int thread) {
      write(thread);
      count(thread);
      look(thread, true);
    });
    if (testing::Test::HasFatalFailure()) return;
    space_.sync(pick(numbers_, 0, 5) == 0);
    together([this](int thread) { look(thread, false); });
    if (testing::Test::HasFatalFailure()) return;
    for (std::size_t lock = 0; lock < kLocks; ++lock)
      ASSERT_EQ(counters_[lock * kApart], counted_[lock]) << "under lock " << lock;
    ASSERT_EQ(counters_[kLocks * kApart], counted_[kLocks]) << "by atomic acts";
    space_.sync(pick(numbers_, 0, 5) == 0);
  }

private:
  struct Piece {
    long first, end, step;
    unsigned char value;
  };
  struct Work { // of a thread, in a phase
    std::vector<Piece> pieces;
    std::uint64_t lock = 0;
    long times = 0, acts = 0;
  };

  space::Map counters_map() {
    const int ranks = space_.world().size();
    return {{kLocks * kApart + 1}, {1}, sizeof(long), static_cast<int>(pick(numbers_, 0, ranks - 1)), 1};
  }
  int id(int thread) const { return space_.world().rank() * threads_ + thread; }
  long bytes() const { return map_.elements(); }

  std::pair<long, long> run_of(Random& from) const {
    const long first = pick(from, 0, bytes() - 1);
    const long longest = pick(from, 0, 3) ? 200 : 20000;
    return {first, std::min(bytes(), first + pick(from, 1, longest))};
  }

  // What all threads of all ranks will do, the same on every rank. A byte has one writer.
  void plan() {
    const int ranks = space_.world().size(), all = ranks * threads_;
    std::fill(writer_.begin(), writer_.end(), 0);
    work_.assign(static_cast<std::size_t>(threads_), {});
    for (int k = 0; k < 4 * all; ++k) {
      const int who = k % all;
      const auto [first, end] = run_of(numbers_);
      const long step = pick(numbers_, 0, 2) ? 1 : pick(numbers_, 2, 5);
      const Piece piece{first, end, step, static_cast<unsigned char>(pick(numbers_, 0, 255))};
      for (long b = first; b < end; b += step) {
        const auto at = static_cast<std::size_t>(b);
        if (writer_[at] && writer_[at] != who + 1) continue;
        writer_[at] = static_cast<unsigned char>(who + 1);
        plain_[at] = static_cast<unsigned char>(piece.value + b);
      }
      if (who / threads_ == space_.world().rank())
        work_[static_cast<std::size_t>(who % threads_)].pieces.push_back(piece);
    }
    for (int who = 0; who < all; ++who) {
      const auto lock = static_cast<std::uint64_t>(pick(numbers_, 0, kLocks - 1));
      const long times = pick(numbers_, 0, 2), acts = pick(numbers_, 0, 2);
      counted_[lock] += times;
      counted_[kLocks] += acts;
      if (who / threads_ != space_.world().rank()) continue;
      Work& work = work_[static_cast<std::size_t>(who % threads_)];
      work.lock = lock;
      work.times = times;
      work.acts = acts;
    }
  }

  void write(int thread) {
    for (const Piece& piece : work_[static_cast<std::size_t>(thread)].pieces)
      for (long b = piece.first; b < piece.end; b += piece.step) {
        const auto at = static_cast<std::size_t>(b);
        if (writer_[at] == id(thread) + 1) a_[at] = static_cast<unsigned char>(piece.value + b);
      }
  }

  void count(int thread) {
    const Work& work = work_[static_cast<std::size_t>(thread)];
    for (long k = 0; k < work.times; ++k) {
      space_.lock(work.lock);
      ++counters_[work.lock * kApart];
      space_.unlock(work.lock);
    }
    for (long k = 0; k < work.acts; ++k) space_.add(&counters_[kLocks * kApart], 1L);
  }

  // `during`: others write their bytes meanwhile.
  void look(int thread, bool during) {
    Random& own = own_[static_cast<std::size_t>(thread)];
    const auto is = [&](long b) {
      const auto at = static_cast<std::size_t>(b);
      if (during && writer_[at] && writer_[at] != id(thread) + 1) return;
      if (a_[at] != plain_[at]) wrong_ = b;
    };
    for (int k = 0; k < 5; ++k) {
      const auto [first, end] = run_of(own);
      const auto* const at = &a_[static_cast<std::size_t>(first)];
      const auto count = static_cast<std::size_t>(end - first);
      if (pick(own, 0, 3) == 0) space_.preload(at, count, pick(own, 0, 1) == 0);
      if (pick(own, 0, 7) == 0) space_.hold(at, count);
      for (long b = first; b < end; ++b) is(b);
    }
    const long rows = map_.extents()[0], columns = map_.extents()[1];
    const long row = pick(own, 0, rows - 1), column = pick(own, 0, columns - 1);
    const long high = pick(own, 1, std::min(rows - row, 5L)),
               wide = pick(own, 1, std::min(columns - column, 300L));
    const auto n = [](long number) { return static_cast<std::size_t>(number); };
    if (pick(own, 0, 3))
      space_.preload(&a_[n(row * columns + column)], {n(rows), n(columns)}, {n(high), n(wide)}, 1,
                     pick(own, 0, 2) == 0, pick(own, 0, 3) == 0);
    for (long r = row; r < row + high; ++r)
      for (long c = column; c < column + wide; ++c) is(r * columns + c);
    for (long b = pick(own, 0, 4095); b < bytes(); b += pick(own, 3000, 9000)) is(b);
  }

  template <class Act>
  void together(const Act& act) {
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads_; ++thread) others.emplace_back(act, thread);
    act(0);
    for (std::thread& other : others) other.join();
    ASSERT_EQ(wrong_, -1) << "is a byte that is wrong, of " << bytes();
  }

  Space& space_;
  Random numbers_; // the same on every rank
  const int threads_;
  const space::Map map_;
  const Global<unsigned char> a_;
  const Global<long> counters_;
  std::vector<unsigned char> plain_;
  std::vector<unsigned char> writer_; // of each byte, from 1; 0: nobody
  std::array<long, kLocks + 1> counted_{};
  std::vector<Work> work_;
  std::vector<Random> own_; // of each thread
  std::atomic<long> wrong_{-1};
};

TEST(Random, ProgramsReadWhatAPlainArrayHolds) {
  const char* const longer = std::getenv("TASUKI_TEST_PHASES");
  const int phases = longer ? std::atoi(longer) : 6;
  std::uint64_t stream = 100;
  const auto play = [&](Space& space, long most, int count) {
    Play one(space, ++stream, most);
    for (int k = 0; k < count && !testing::Test::HasFatalFailure(); ++k) one.phase();
  };
  for (const unsigned long page : {4096ul, 16384ul})
    each_space(
        [&](Space& space, const std::string&) {
          for (int round = 0; round < 2; ++round) play(space, 120000, phases);
        },
        [&](Settings& s) { s.page = page; });
  // Caches that give pages back: half of the array is more than the least that one keeps, 256 pages.
  each_space([&](Space& space, const std::string&) { play(space, 3000000, (phases + 1) / 2); },
             [](Settings& s) { s.space_cache = 1; });
}

} // namespace
} // namespace tasuki::test

// Random programs against plain arrays: in each phase threads of all ranks write bytes that no other writes, change bytes under
// locks, count by atomic acts, copy, read others' bytes by touches, runs and boxes, and synchronise; arrays end, and others
// begin. TASUKI_TEST_SEED repeats one, TASUKI_TEST_PHASES makes it longer.
#include <tests/space/random_plan.hpp>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace tasuki::test {
namespace {

constexpr std::uint64_t kLocks = RandomPlan::kLocks;
constexpr std::size_t kApart = 600; // numbers from one to the next: on another page
// Where the numbers are: one a lock, then what is added to, compared, and exchanged.
constexpr std::size_t kAdded = kLocks, kCompared = kLocks + 1, kExchanged = kLocks + 2;

class Play {
public:
  Play(Space& space, std::uint64_t stream, long most, bool devices = false)
      : space_(space),
        plan_(space, stream, most, devices),
        counters_(space.array<long>({kExchanged * kApart + 1}, counters_map(), "counters")) {
    for (int thread = 0; thread < plan_.threads; ++thread)
      own_.push_back(random(stream * 1000 + 77 + static_cast<std::uint64_t>(plan_.id(thread))));
  }

  void phase() {
    plan_.draw();
    together([this](int thread) {
      write(thread);
      count(thread);
      look(thread, true);
    });
    if (testing::Test::HasFatalFailure()) return;
    if (pick(plan_.numbers, 0, 2) == 0) plan_.renew(); // written bytes of the other arrays go home with it
    space_.sync(pick(plan_.numbers, 0, 5) == 0);
    together([this](int thread) { look(thread, false); });
    if (testing::Test::HasFatalFailure()) return;
    for (std::size_t k = 0; k < kLocks; ++k)
      ASSERT_EQ(counters_[k * kApart], plan_.counted[k]) << "under lock " << k;
    for (const std::size_t k : {kAdded, kCompared})
      ASSERT_EQ(counters_[k * kApart], plan_.acts) << "by atomic acts";
    // What was put there, less what was taken, is there.
    ASSERT_EQ(counters_[kExchanged * kApart], reduce_sum(space_.world(), exchanged_.load()))
        << "by exchanging";
    space_.sync(pick(plan_.numbers, 0, 5) == 0);
  }

private:
  space::Map counters_map() {
    const int on = static_cast<int>(pick(plan_.numbers, 0, space_.world().size() - 1));
    return {{kExchanged * kApart + 1}, {1}, sizeof(long), on, 1};
  }

  void write(int thread) {
    const RandomPlan::Work& work = plan_.work[static_cast<std::size_t>(thread)];
    for (const RandomPlan::Piece& piece : work.pieces)
      for (long b = piece.first; b < piece.end;) {
        const auto mine = [&](long byte) {
          return byte < piece.end && piece.of->writes(byte, plan_.id(thread)) &&
                 !copied(work, piece.of, byte);
        };
        long end = b;
        while (mine(end) && (end == b || piece.step == 1)) ++end;
        piece.of->store(b, end, [&](long byte) { return static_cast<unsigned char>(piece.value + byte); });
        b = std::max(end, b + piece.step);
      }
    for (const RandomPlan::Copy& copy : work.copies)
      space_.copy(copy.to->at(copy.there), copy.from->at(copy.at), static_cast<std::size_t>(copy.count));
  }
  static bool copied(const RandomPlan::Work& work, const Bytes* to, long byte) {
    return std::any_of(work.copies.begin(), work.copies.end(), [&](const RandomPlan::Copy& copy) {
      return copy.to == to && byte >= copy.there && byte < copy.there + copy.count;
    });
  }

  void count(int thread) {
    const RandomPlan::Work& work = plan_.work[static_cast<std::size_t>(thread)];
    for (long k = 0; k < work.times; ++k) {
      space_.lock(work.lock);
      const auto was = static_cast<unsigned char>(counters_[work.lock * kApart]++);
      for (const long b : plan_.under[work.lock]) { // all of them have been counted with it
        if (*plan_.arrays[0].at(b) != was) wrong_ = b;
        *plan_.arrays[0].at(b) = static_cast<unsigned char>(was + 1);
      }
      space_.unlock(work.lock);
    }
    auto* const compared = reinterpret_cast<int*>(&counters_[kCompared * kApart]);
    for (long k = 0; k < work.acts; ++k) {
      space_.add(&counters_[kAdded * kApart], 1L);
      for (int there = 0, was = -1; was != there;) {
        there = space_.add(compared, 0);
        was = space_.compare(compared, there, there + 1);
      }
      const long mine = plan_.id(thread) + 1;
      exchanged_ += mine - space_.exchange(&counters_[kExchanged * kApart], mine);
    }
  }

  // `during`: others write their bytes meanwhile.
  void look(int thread, bool during) {
    Random& own = own_[static_cast<std::size_t>(thread)];
    const Bytes& a = plan_.any(own);
    const auto check = [&](const std::vector<long>& bytes) {
      const long wrong =
          a.first_wrong(bytes, [&](long b) { return !during || a.steady(b, plan_.id(thread)); });
      if (wrong >= 0) wrong_ = wrong;
    };
    std::vector<long> bytes;
    for (int k = 0; k < 5; ++k) {
      const auto [first, end] = random_run(own, a.size());
      const auto count = static_cast<std::size_t>(end - first);
      if (pick(own, 0, 3) == 0) space_.preload(a.at(first), count, pick(own, 0, 1) == 0);
      if (pick(own, 0, 7) == 0) space_.hold(a.at(first), count, pick(own, 0, 2) == 0);
      bytes.resize(count);
      std::iota(bytes.begin(), bytes.end(), first);
      check(bytes);
    }
    const Box box = random_box(own, a.map, 300);
    if (pick(own, 0, 3))
      space_.preload(a.at(box.first), box.whole, box.part, 1, pick(own, 0, 2) == 0, pick(own, 0, 3) == 0);
    check(box.elements);
    bytes.clear();
    for (long b = pick(own, 0, 4095); b < a.size(); b += pick(own, 3000, 9000)) bytes.push_back(b);
    check(bytes);
  }

  template <class Act>
  void together(const Act& act) {
    std::vector<std::thread> others;
    for (int thread = 1; thread < plan_.threads; ++thread) others.emplace_back(act, thread);
    act(0);
    for (std::thread& other : others) other.join();
    ASSERT_EQ(wrong_, -1) << "is a byte that is wrong";
  }

  Space& space_;
  RandomPlan plan_;
  const Global<long> counters_;
  std::atomic<long> exchanged_{0}; // put by this rank, less what it took
  std::vector<Random> own_;        // of each thread
  std::atomic<long> wrong_{-1};
};

int phases_asked() {
  const char* const longer = std::getenv("TASUKI_TEST_PHASES");
  return longer ? std::atoi(longer) : 6;
}

TEST(Random, ProgramsReadWhatPlainArraysHold) {
  const int phases = phases_asked();
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
  // No two ranks write one byte but under a lock, which is no race.
  each_space([&](Space& space, const std::string&) { play(space, 120000, phases); },
             [](Settings& s) { s.races = true; });
}

// Copies of what other nodes have are each rank's own, and addresses of arrays that ended are given out again.
TEST(Random, ProgramsReadWhatPlainArraysHoldOverDevices) {
  std::uint64_t stream = 200;
  for (int nodes = 1; nodes <= world().size(); nodes *= 2)
    one_space(
        nodes, "auto",
        [](Settings& s) {
          s.halo = 0;
          s.ranks.clear();
        },
        [&](Space& space, const std::string&) {
          Play one(space, ++stream, 60000, true);
          for (int k = 0; k < phases_asked() && !testing::Test::HasFatalFailure(); ++k) one.phase();
        });
}

} // namespace
} // namespace tasuki::test

// What threads of all ranks do in a phase of a random program; every rank draws the same.
//
//   RandomPlan plan(space, 7, 120000, false); // arrays that it makes
//   plan.draw();                              // plan.work[thread] of this rank; the arrays' plain ones hold the outcome
//   plan.renew();                             // one of them ends, and another begins. Collective
#pragma once

#include <tests/space/random_arrays.hpp>

#include <array>
#include <deque>

namespace tasuki::test {

class RandomPlan {
public:
  static constexpr int kMostThreads = 3; // of a rank
  static constexpr std::uint64_t kLocks = 2;

  // `most`: elements of its largest array. `devices`: the two others lie over devices.
  RandomPlan(Space& its_space, std::uint64_t stream, long most, bool over_devices)
      : numbers(random(stream)),
        threads(static_cast<int>(pick(numbers, 1, kMostThreads))),
        space_(its_space),
        devices_(over_devices) {
    const long largest = pick(numbers, most * 3 / 4, most);
    arrays.push_back(array("a", largest, false));
    for (const char* const name : {"b", "c"}) arrays.push_back(array(name, small(), devices_));
    put_under_locks();
  }

  struct Piece {
    Bytes* of;
    long first, end, step;
    unsigned char value;
  };
  struct Copy {
    const Bytes* from;
    Bytes* to;
    long at, there, count;
  };
  struct Work { // of a thread, in a phase
    std::vector<Piece> pieces;
    std::vector<Copy> copies;
    std::uint64_t lock = 0;
    long times = 0, acts = 0;
  };

  // Among those of all ranks.
  int id(int thread) const { return space_.world().rank() * threads + thread; }
  Bytes& any(Random& from) { return arrays[static_cast<std::size_t>(pick(from, 0, 2))]; }

  // An array ends, and another begins: one that holds nothing.
  void renew() {
    const auto which = static_cast<std::size_t>(pick(numbers, 1, 2));
    space_.free(arrays[which].shared.data());
    arrays[which] = array("new", small(), devices_);
  }

  // What all threads of all ranks will do, the same on every rank. A byte has one writer.
  void draw() {
    const int all = ranks() * threads;
    for (Bytes& one : arrays) one.fresh();
    work.assign(static_cast<std::size_t>(threads), {});
    const auto workof = [&](int who) {
      return who / threads == space_.world().rank() ? &work[static_cast<std::size_t>(who % threads)]
                                                    : nullptr;
    };
    for (int k = 0; k < 4 * all; ++k) {
      const int who = k % all;
      Bytes& to = any(numbers);
      const auto [first, end] = random_run(numbers, to.size());
      const long step = pick(numbers, 0, 2) ? 1 : pick(numbers, 2, 5);
      const Piece piece{&to, first, end, step, static_cast<unsigned char>(pick(numbers, 0, 255))};
      for (long b = first; b < end; b += step)
        if (to.claim(b, who))
          to.plain[static_cast<std::size_t>(b)] = static_cast<unsigned char>(piece.value + b);
      if (Work* const work = workof(who)) work->pieces.push_back(piece);
    }
    for (int who = 0; who < all; ++who) {
      const auto lock = static_cast<std::uint64_t>(pick(numbers, 0, kLocks - 1));
      const long times = pick(numbers, 0, 2), acts_of_it = pick(numbers, 0, 2);
      counted[lock] += times;
      acts += acts_of_it;
      for (const long b : under[lock])
        arrays[0].plain[static_cast<std::size_t>(b)] += static_cast<unsigned char>(times);
      if (Work* const work = workof(who)) {
        work->lock = lock;
        work->times = times;
        work->acts = acts_of_it;
      }
      plan_copy(who, workof(who));
    }
  }

  Random numbers; // the same on every rank
  const int threads;
  std::deque<Bytes> arrays;                    // the first has bytes under locks, and stays
  std::array<std::vector<long>, kLocks> under; // those bytes, by lock
  std::array<long, kLocks> counted{};          // how often they have been changed
  long acts = 0;                               // of all ranks, in all phases
  std::vector<Work> work;                      // of this rank, by thread

private:
  int ranks() const { return space_.world().size(); }
  long small() { return pick(numbers, 1, devices_ ? 6000000 : 60000); }
  Bytes array(const std::string& name, long elements, bool over_devices) {
    const std::size_t page = over_devices ? Space::kDeviceStep : space_.world().settings().page;
    return {space_, random_map(numbers, ranks(), elements, page), name, over_devices};
  }

  // Some bytes of the first array: a run over a page's end, and here and there, among those that others write.
  void put_under_locks() {
    Bytes& a = arrays[0];
    for (std::size_t lock = 0; lock < kLocks; ++lock) {
      const auto put = [&](long byte) {
        auto& by = a.locked[static_cast<std::size_t>(byte)];
        if (by) return;
        by = static_cast<unsigned char>(lock + 1);
        under[lock].push_back(byte);
      };
      const auto [first, end] = random_run(numbers, a.size(), 700);
      for (long b = first; b < end; ++b) put(b);
      for (int k = 0; k < 20; ++k) put(pick(numbers, 0, a.size() - 1));
    }
  }

  // From bytes that nobody writes in this phase, to some that nobody else does.
  void plan_copy(int who, Work* its) {
    Bytes& from = any(numbers);
    Bytes& to = any(numbers);
    const auto [first, end] = random_run(numbers, from.size());
    const long count = std::min(end - first, to.size()), there = pick(numbers, 0, to.size() - count);
    for (long k = 0; k < count; ++k)
      if (const auto b = static_cast<std::size_t>(there + k); to.locked[b] || to.stays[b] || to.writer[b])
        return;
    if (&from == &to && first < there + count && there < first + count) return;
    if (!from.keep(first, count)) return;
    for (long k = 0; k < count; ++k) {
      to.claim(there + k, who);
      to.plain[static_cast<std::size_t>(there + k)] = from.plain[static_cast<std::size_t>(first + k)];
    }
    if (its) its->copies.push_back({&from, &to, first, there, count});
  }

  Space& space_;
  const bool devices_;
};

} // namespace tasuki::test

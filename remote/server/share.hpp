// How the clients of one GPU share its time. Their workers share memory, in which each adds the time that it has used; a worker
// whose client is ahead of another that also asks waits.
//
//   Turn turn(share, slot);
//   while (!turn.comes(Turn::now())) ..;    // others have had less
//   turn.used(elapsed);                     // nanoseconds
//
// The gate gives each client a slot; all workers of a run have the same one. A client that has not asked for a while holds
// nobody up, and the time that it did not use then is lost to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace tasuki::remote {

// Of one GPU. Zeros are a good beginning.
struct Share {
  static constexpr int most = 64; // clients; those beyond are not held back
  struct Client {
    std::atomic<std::uint32_t> workers{0}; // 0: nobody has this slot
    std::atomic<std::uint64_t> used{0};    // nanoseconds of the GPU
    std::atomic<std::uint64_t> asked{0};   // when it last wanted some
  };
  Client clients[most];
};

class Turn {
public:
  static constexpr std::uint64_t ahead =
      2'000'000; // nanoseconds that a client may have had more than another
  static constexpr std::uint64_t absent = 20'000'000; // without asking: it is not waited for

  static std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  }

  Turn() = default; // always alone
  Turn(Share* share, int slot) : share_(slot < 0 ? nullptr : share), slot_(slot) {}

  bool alone() const {
    if (!share_) return true;
    for (int n = 0; n < Share::most; ++n)
      if (n != slot_ && share_->clients[n].workers) return false;
    return true;
  }
  // Asks for some of the GPU's time. False: another who asks has had less.
  bool comes(std::uint64_t now) {
    if (!share_) return true;
    Share::Client& own = share_->clients[slot_];
    std::uint64_t least = ~std::uint64_t(0);
    for (int n = 0; n < Share::most; ++n) {
      const Share::Client& other = share_->clients[n];
      if (n != slot_ && other.workers && now < other.asked + absent)
        least = std::min<std::uint64_t>(least, other.used);
    }
    const bool was_absent = now >= own.asked.exchange(now) + absent;
    if (least == ~std::uint64_t(0)) return true;
    std::uint64_t used = own.used;
    if (was_absent && used < least) own.used = used = least;
    return used <= least + ahead;
  }
  void used(std::uint64_t nanoseconds) {
    if (share_) share_->clients[slot_].used += nanoseconds;
  }

private:
  Share* share_ = nullptr;
  int slot_ = -1;
};

} // namespace tasuki::remote

// Copies out of a device that come before the program asks for them.
//
//   Ahead ahead(connection);                                // its handlers tell it what leaves and what comes
//   if (!ahead.take(to, from, bytes, stream)) { ..ask for them..; ahead.asked(from, bytes, stream); }
//
// A program that goes round in a loop asks for the same bytes (address, size, stream) behind the same number of calls each
// time. Once three rounds have been alike, the copy is asked for at once behind the call that stands before it. So its bytes
// are on their way, or here, when the program comes to it: where there are many devices, those of all of them.
//
// A read ahead has its place in the order of calls, and is used only where the program has made no call of this device since:
// the copy itself would stand at the same place. That leaves work that runs beside it, on other streams, of which the program may
// have learned meanwhile that it is over. So, in addition, the copy must be ordered behind all of the device's work (it is on the
// legacy default stream, and no stream runs beside that one), or the worker must have said nothing since. All this holds while
// nothing but calls of the device changes its memory: end() says that it does no more.
#pragma once

#include <remote/client/connection.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace tasuki::remote {

class Ahead {
public:
  static constexpr u64 most = 1u << 20;    // bytes; the way is the least of what a longer copy takes
  static constexpr u64 shortest_round = 2; // a copy that follows itself asks whether something has changed
  static constexpr int most_unused = 4;    // reads of the same bytes, before it is left
  static constexpr std::size_t most_patterns = 64;
  static constexpr std::size_t most_reads = 64; // whose bytes have not come, or not been asked for

  // Stays until the connection is gone. compared: replicas answer, whose bytes have to be alike; what is read beside work that is
  // under way is not, so only what is ordered behind all of it is read.
  explicit Ahead(Connection& connection, bool compared = false)
      : connection_(connection), compared_(compared) {}

  // A call of the program's leaves. beside: from now on a stream runs beside the legacy one. Any thread.
  void made(Call call, bool beside);
  // The worker has said something else than a read's bytes; before anybody is told of it.
  void heard() { heard_.fetch_add(1, std::memory_order_acq_rel); }

  // The bytes, where they were read ahead and are what the copy would bring; waits for them. Throws Failure as the copy
  // itself would. False: the program has to ask.
  bool take(void* to, u64 from, u64 bytes, u64 stream);
  // The program has asked for them by a call.
  void asked(u64 from, u64 bytes, u64 stream);
  // From now on others change the device's memory, too: nothing is read ahead any more, and nothing that was is used.
  void end() { ended_ = true; }
  // These addresses are memory no more, or will be.
  void forget(u64 address, u64 bytes);

  u64 sent() const { return sent_; } // reads ahead
  u64 used() const { return used_; } // of these

private:
  struct Pattern {
    u64 from, bytes, stream;
    u64 last, round = 0; // the step of the last copy, and the steps from the one before it
    int alike = 0;       // rounds that were as long as the one before them
    int unused = 0;      // reads since the last one that was used
    bool repeats() const { return alike > 0 && round >= shortest_round && unused < most_unused; }
    u64 due() const { return last + round - 1; }
  };
  struct Read {
    u64 from, bytes, stream, made, heard;
    std::vector<unsigned char> to;
    Waiting waiting;
    bool is_of(u64 f, u64 b, u64 s) const { return from == f && bytes == b && stream == s; }
  };

  static constexpr u64 never = ~0ull; // of heard

  // Steps count what the program has done: its calls, and copies that were here already.
  u64 step() const { return made_ + used_; }
  bool ordered(u64 stream) const { return stream == 0 && !beside_; }
  bool valid(const Read& read) const {
    return read.made == made_ && (ordered(read.stream) || read.heard == heard_);
  }
  void read();
  bool send(const Pattern& pattern);
  void is_known(u64 stream);
  void note(u64 from, u64 bytes, u64 stream, u64 step);
  void plan(u64 first);
  void tidy();
  Pattern* pattern_of(u64 from, u64 bytes, u64 stream);

  Connection& connection_;
  const bool compared_;
  std::atomic<u64> made_{0}, heard_{0}, due_{0}, sent_{0}, used_{0};
  std::atomic<int> captures_{0}; // under way: a copy would end them
  std::atomic<bool> beside_{false}, ended_{false};
  std::mutex mutex_; // of what follows
  std::vector<Pattern> patterns_;
  std::deque<std::unique_ptr<Read>> reads_;
};

} // namespace tasuki::remote

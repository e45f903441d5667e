// Communication threads for MPI. A courier waits until a message is packed, sends it, receives those of neighbours,
// and sets a flag that a stream waits for. The launching thread does not wait. Couriers also answer requests (Post).
#pragma once

#include <tasuki/channel/requests.hpp>
#include <tasuki/device/signal/signal.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace tasuki {

class Courier;

// The work that a communication thread repeats, from Courier::take() to Courier::leave().
class Duty {
public:
  virtual ~Duty() = default;
  // Does the work that is possible now; true if there was any. `delay` sleeps for a random time, in tests.
  virtual bool advance(const std::function<void()>& delay) = 0;
  virtual bool settled() const = 0;              // no work is pending
  virtual bool listens() const { return false; } // requests may arrive at any time
};

// The messages of a channel that one communication thread sends and receives in each turn of the channel.
//
// A channel has one or two sides (sets of buffers and requests). Its turns are numbered from 1 and use the sides
// alternately. The courier
// - receives turn n once it is announced and `packed` is n + 1 - sides: the previous content has been unpacked;
// - sends turn n once `packed` is n;
// - sets `arrived` to n when turn n has been received and the send buffer of turn n + 1 is free again.
struct Haul {
  struct Side {
    Requests sends, receives; // not started
  };
  std::vector<Side> sides;
  Flag* packed = nullptr;  // set by the channel to n: turn n is packed, turn n - 1 is unpacked
  Flag* arrived = nullptr; // set by the courier
};

// A haul that a courier works on. The destructor waits for the announced turns.
class Delivery : public Duty {
public:
  Delivery(std::shared_ptr<Courier> courier, int thread, Haul haul);
  ~Delivery() override;
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  // The stream will set `packed` to this turn; the courier thread watches the flag from now on.
  void announce(Flag turn);
  Flag arrived() const; // the last turn that has arrived

  bool advance(const std::function<void()>& delay) override;
  bool settled() const override; // all announced turns have been sent and received

private:
  Haul::Side& side(Flag turn) { return haul_.sides[(turn - 1) % haul_.sides.size()]; }

  std::shared_ptr<Courier> courier_;
  int thread_;
  Haul haul_;
  std::atomic<Flag> announced_{0};
  std::atomic<Flag> sent_{0};                   // all sends up to this turn are complete
  Flag posted_ = 0, started_ = 0, arrived_ = 0; // turns: receives posted, sends started, `arrived` set
};

// The communication threads of a rank: one bound to each progress core, or a single unbound thread if there are none.
class Courier {
public:
  // The threads of the device's world, created at first use. Null if they are not wanted (see ProgressCores: the host
  // device needs an explicit setting) or if MPI does not support calls from several threads.
  static std::shared_ptr<Courier> of(Device& device);
  // As of(), but never null: if there are no such threads, one unbound thread is created. Requires MPI_THREAD_MULTIPLE.
  static std::shared_ptr<Courier> serving(Device& device);

  Courier(Device& device, const std::vector<int>& cores); // no cores: one unbound thread
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  void take(Duty& duty, int thread = 0);
  void leave(Duty& duty, int thread = 0); // returns when the thread does not use the duty any more

private:
  friend class Delivery;
  class Thread;
  World& world_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

} // namespace tasuki

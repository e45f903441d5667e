// Threads that serve MPI: a courier waits for a message to be packed, sends it, receives the others', and says so by a
// flag that a stream waits for. The thread that launches work waits for neither. It answers what others ask, too (Post).
#pragma once

#include <tasuki/channel/requests.hpp>
#include <tasuki/device/signal/signal.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace tasuki {

class Courier;

// What a communication thread does again and again, from when it takes it until it leaves it.
class Duty {
public:
  virtual ~Duty() = default;
  // Does what can be done now; true where that was something. `delay` dawdles, in tests.
  virtual bool advance(const std::function<void()>& delay) = 0;
  virtual bool settled() const = 0;              // nobody waits for it: it need not be looked at
  virtual bool listens() const { return false; } // but now and then, for what others may send
};

// What one thread carries of a channel: some of its messages, each turn of the channel anew.
//
// A channel has one or two sides (sets of buffers and requests), which its turns, numbered from 1, take one after the
// other. The courier
// - receives turn n once it is announced and `packed` says n + 1 - sides: what was in the buffer has been unpacked;
// - sends turn n once `packed` says n;
// - lets `arrived` say n when turn n has been received and the buffer that turn n + 1 is packed into has been sent.
struct Haul {
  struct Side {
    Requests sends, receives; // not started
  };
  std::vector<Side> sides;
  Flag* packed = nullptr;  // raised by the channel: turn n is packed, turn n - 1 unpacked
  Flag* arrived = nullptr; // raised by the courier
};

// A haul in a courier's hands, until it is destroyed: that waits for the turns that were announced.
class Delivery : public Duty {
public:
  Delivery(std::shared_ptr<Courier> courier, int thread, Haul haul);
  ~Delivery() override;
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  // `packed` will say this turn: from now on the thread looks for it.
  void announce(Flag turn);
  Flag arrived() const; // the last turn that has

  bool advance(const std::function<void()>& delay) override;
  bool settled() const override; // all that was announced is done

private:
  Haul::Side& side(Flag turn) { return haul_.sides[(turn - 1) % haul_.sides.size()]; }

  std::shared_ptr<Courier> courier_;
  int thread_;
  Haul haul_;
  std::atomic<Flag> announced_{0};
  std::atomic<Flag> sent_{0};                   // all sends up to this turn are complete
  Flag posted_ = 0, started_ = 0, arrived_ = 0; // turns: receives posted, sends started, `arrived` raised
};

// The communication threads of a rank. As many as it has progress cores, each bound to one; else one, not bound.
class Courier {
public:
  // The threads of the device's world, made at first use. None where they are not wanted (see ProgressCores: on the
  // host they have to be asked for), and where the MPI does not let several threads call it.
  static std::shared_ptr<Courier> of(Device& device);
  // The same, or where there is none a thread of its own, not bound: for what cannot do without. MPI serves threads.
  static std::shared_ptr<Courier> serving(Device& device);

  Courier(Device& device, const std::vector<int>& cores); // no cores: one thread, not bound
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  void take(Duty& duty, int thread = 0);
  void leave(Duty& duty, int thread = 0); // returns when the thread has

private:
  friend class Delivery;
  class Thread;
  World& world_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

} // namespace tasuki

// Measures by events around its launches how much GPU time a client uses, and delays launches until it is the client's turn.
//
//   Metering metering(device, Turn(share, slot));
//   metering.launch(stream, may_wait, [&] { device.launch(..); });   // throws what that throws
//
// A client that has the GPU alone is neither measured nor delayed. With several clients only a few launches of each are under
// way at a time, so the GPU's queues stay short, and a thousand launches of one client do not precede another's first.
#pragma once

#include <remote/device/device.hpp>
#include <remote/server/share.hpp>

#include <deque>
#include <functional>
#include <vector>

namespace tasuki::remote {

class Metering {
public:
  Metering(Device& device, Turn turn) : device_(device), turn_(turn) {}
  // Without `may_wait` it goes at once: the client may have to be heard before anything goes on.
  void launch(StreamId stream, bool may_wait, const std::function<void()>& go);

private:
  struct Span {
    EventId begin = 0, end = 0;
  };
  void wait_for_turn();
  bool settle_first(); // of those that are under way; false: it is not over
  void settle();
  Span take();

  Device& device_;
  Turn turn_;
  std::deque<Span> under_way_;
  std::vector<Span> free_;
};

} // namespace tasuki::remote

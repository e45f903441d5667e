// The signals before and after the copies of an exchange whose turn is counted on the device.
#pragma once

#include <tasuki/device/signal/signal.hpp>

namespace tasuki {

// Each list may be empty. All signals are of the next turn.
struct Handshake {
  std::vector<Flag*> raise_first;
  std::vector<Awaited> await_first; // then the copies are done
  std::vector<Flag*> raise_then;
  std::vector<Awaited> await_last;
  bool ends = false; // this handshake ends the turn; otherwise await_last() must follow
};

} // namespace tasuki

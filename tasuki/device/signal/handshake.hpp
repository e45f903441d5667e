// The signals around the copies of an exchange whose turns the device counts.
#pragma once

#include <tasuki/device/signal/signal.hpp>

namespace tasuki {

// Each list may be empty. All are of the turn that comes.
struct Handshake {
  std::vector<Flag*> raise_first;
  std::vector<Awaited> await_first; // then the copies are done
  std::vector<Flag*> raise_then;
  std::vector<Awaited> await_last;
  bool ends = false; // and that was the turn: else await_last() follows
};

} // namespace tasuki

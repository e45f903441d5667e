// The channel of a rank that is its own neighbour: a copy within its memory.
#pragma once

#include <tasuki/device/copy.hpp>

namespace tasuki {

class SelfChannel {
public:
  SelfChannel(Device& device, std::vector<CopyPair> pairs) : copies_(device, std::move(pairs)) {}
  void start(Stream& stream) { copies_.enqueue(stream); }
  const CopyPlan& copies() const { return copies_; } // for threads of the host that share them

private:
  CopyPlan copies_;
};

} // namespace tasuki

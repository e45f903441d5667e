// The channel of a rank that is its own neighbour: a copy within its memory.
#pragma once

#include <tasuki/channel/channel.hpp>

namespace tasuki {

class SelfChannel final : public Channel {
public:
  SelfChannel(Device& device, const ChannelSetup& setup);

  void start(Stream& stream, bool free = false) override;
  void finish(Stream&) override {}

  void open(Stream&) override {}
  const CopyPlan* copies() const override { return &copies_; }

private:
  CopyPlan copies_;
};

} // namespace tasuki

#include <tasuki/channel/self.hpp>

namespace tasuki {

std::unique_ptr<Channel> make_self(Device& device, ChannelSetup setup) {
  return std::make_unique<SelfChannel>(device, setup);
}

SelfChannel::SelfChannel(Device& device, const ChannelSetup& setup) {
  std::vector<CopyPair> pairs;
  for (const Message& message : setup.outgoing)
    for (const MessagePart& part : message.parts) pairs.push_back({part.here, part.there});
  copies_ = CopyPlan(device, std::move(pairs));
}

void SelfChannel::start(Stream& stream, bool) { copies_.enqueue(stream); }

} // namespace tasuki

#include <remote/client/peers.hpp>
#include <remote/client/virtual_device.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace tasuki::remote {

std::mutex Peers::making_, Peers::mutex_;

Peers::Peers(VirtualDevice& device, Entrance entrance, int lanes)
    : device_(device), entrance_(std::move(entrance)), lanes_(lanes) {}

Peers::~Peers() {
  std::lock_guard hold(mutex_);
  for (const auto& [other, linked] : known_) other->known_.erase(this);
}

u32 Peers::number_of(const Peers& other) const { return static_cast<u32>(other.device_.index()); }

// A socket's path means nothing on another host, and no worker opens one that a client names.
bool Peers::dial(Peers& other) {
  const Entrance& to = other.entrance_;
  if (to.lane.empty() || !to.host.path.empty()) return false;
  const Key key = new_key();
  const std::string secret(reinterpret_cast<const char*>(key.data()), Key::size());
  const u32 here = number_of(other), there = other.number_of(*this);
  const u32 ucx = entrance_.ucx && to.ucx, lanes = ucx ? 1 : static_cast<u32>(lanes_);
  other.device_.calls().ask<answer::Done>(call::Admit{there, lanes, ucx, secret});
  try {
    device_.calls().ask<answer::Done>(
        call::Dial{here, there, lanes, ucx, secret, to.host.name, to.host.port, to.lane});
    return true;
  } catch (const Failure& failure) {
    other.device_.calls().post(call::Part{there});
    if (!of_the_call_alone(failure.status())) throw;
    return false;
  }
}

bool Peers::link(Peers& other) {
  if (entrance_.lane.empty() || other.entrance_.lane.empty()) return false; // a log, or replicas
  return dial(other) || other.dial(*this);
}

bool Peers::reach(Peers& other) {
  if (&other == this) return false;
  const auto known = [&]() -> std::optional<bool> {
    std::lock_guard hold(mutex_);
    const auto at = known_.find(&other);
    return at == known_.end() ? std::nullopt : std::optional(at->second);
  };
  if (const auto linked = known()) return *linked;
  if (!VirtualDevice::may_ask()) return false;
  std::lock_guard one_at_a_time(making_);
  if (const auto linked = known()) return *linked;
  bool linked = false;
  try {
    linked = link(other);
  } catch (const Failure& failure) {
    if (!of_the_call_alone(failure.status())) throw;
  }
  {
    std::lock_guard hold(mutex_);
    known_[&other] = other.known_[this] = linked;
  }
  if (linked && (device_.calls().lost() || other.device_.calls().lost())) lost(); // meanwhile
  return linked;
}

void Peers::lost() {
  std::vector<std::pair<VirtualDevice*, u32>> parted;
  {
    std::lock_guard hold(mutex_);
    for (auto& [other, linked] : known_) {
      if (!std::exchange(linked, false)) continue;
      other->known_[this] = false;
      parted.emplace_back(&other->device_, other->number_of(*this));
      parted.emplace_back(&device_, number_of(*other));
    }
  }
  for (const auto& [device, number] : parted) {
    try {
      device->calls().ask_then(call::Part{number}, [] {}); // not waited for, by a strict program either
    } catch (const Failure&) {
      // that one is gone
    }
  }
}

} // namespace tasuki::remote

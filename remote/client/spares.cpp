#include <remote/client/spares.hpp>
#include <remote/link/heartbeat.hpp>

#include <algorithm>

namespace tasuki::remote {

void Spares::add(Spare spare) {
  if (spare.visit.heartbeat) spare.visit.heartbeat->set_movable(true);
  std::lock_guard hold(mutex_);
  spares_.push_back(std::move(spare));
}

std::optional<Spare> Spares::take(const std::function<bool(const Spare&)>& fits) {
  for (;;) {
    Spare spare;
    {
      std::lock_guard hold(mutex_);
      const auto next = fits ? std::find_if(spares_.begin(), spares_.end(), fits) : spares_.begin();
      if (next == spares_.end()) return std::nullopt;
      spare = std::move(*next);
      spares_.erase(next);
    }
    if (spare.visit.link) return spare;
    try {
      spare.visit = spare.open();
      return spare;
    } catch (const Error&) {
      // its host is gone: the next one
    }
  }
}

std::optional<Spare> Spares::take_from_others(const Hosts& from) {
  std::optional<Spare> spare = take([&](const Spare& one) { return !from.count(one.host); });
  return spare || !elsewhere ? std::move(spare) : elsewhere(from);
}

void Spares::let_go() {
  std::deque<Spare> gone; // they end without the mutex
  std::lock_guard hold(mutex_);
  for (auto spare = spares_.begin(); spare != spares_.end();) {
    if (!spare->visit.heartbeat || !spare->visit.heartbeat->leaving()) {
      ++spare;
      continue;
    }
    gone.push_back(std::move(*spare));
    spare = spares_.erase(spare);
  }
}

void Spares::give_back(Spare spare) {
  spare.visit = Visit();
  add(std::move(spare));
}

} // namespace tasuki::remote

#include <remote/client/spares.hpp>

#include <algorithm>

namespace tasuki::remote {

void Spares::add(Spare spare) {
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

void Spares::give_back(Spare spare) {
  spare.visit = Visit();
  add(std::move(spare));
}

} // namespace tasuki::remote

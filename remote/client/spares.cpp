#include <remote/client/spares.hpp>

namespace tasuki::remote {

void Spares::add(Spare spare) {
  std::lock_guard hold(mutex_);
  spares_.push_back(std::move(spare));
}

std::optional<Spare> Spares::take() {
  for (;;) {
    Spare spare;
    {
      std::lock_guard hold(mutex_);
      if (spares_.empty()) return std::nullopt;
      spare = std::move(spares_.front());
      spares_.pop_front();
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

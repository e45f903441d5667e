#include <remote/client/elsewhere.hpp>

#include <utility>

namespace tasuki::remote {

namespace {

constexpr std::chrono::seconds patience{3}; // with a host that may be gone

} // namespace

Elsewhere::Elsewhere(std::vector<Host> hosts, Key key, Wish wish, std::set<std::string> taken)
    : hosts_(std::move(hosts)), key_(std::move(key)), wish_(std::move(wish)), taken_(std::move(taken)) {
  wish_.queue = false;
  wish_.patience = patience;
}

std::optional<Spare> Elsewhere::take(const std::set<std::string>& from) {
  std::lock_guard hold(mutex_);
  for (const Host& host : hosts_) {
    if (from.count(host.shown())) continue;
    try {
      const std::size_t count = greet(host, key_, patience).devices.size();
      for (std::size_t n = 0; n < count; ++n) {
        const int device = static_cast<int>(n);
        Spare spare;
        spare.name = host.shown() + ":" + std::to_string(device);
        if (taken_.count(spare.name)) continue;
        spare.host = host.shown();
        spare.open = [host, device, key = key_, wish = wish_] {
          return open_device(host, key, device, wish);
        };
        try {
          spare.visit = spare.open();
        } catch (const Error&) {
          continue; // another client has it
        }
        taken_.insert(spare.name);
        return spare;
      }
    } catch (const Error&) {
      // it is gone: the next one
    }
  }
  return std::nullopt;
}

} // namespace tasuki::remote

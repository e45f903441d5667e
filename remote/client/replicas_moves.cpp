// A replica moves to another worker because it was asked to, or because its server is about to end: the new one plays the log and
// gets in line, and only then the old one goes.
#include <remote/client/replicas.hpp>

#include <remote/link/heartbeat.hpp>

namespace tasuki::remote {

std::string ReplicaLink::move(Spare to, const std::string& from) {
  Held held(mutex_);
  if (over_) return over_what_;
  if (!logged_) return "its log was too long for --log";
  if (wish_ || moving_) return "it is moving already";
  wish_ = Wish{std::move(to), from};
  moving_ = true;
  changed_.notify_all();
  changed_.wait(held, [this] { return over_ || !moving_; });
  return over_ ? over_what_ : moved_;
}

void ReplicaLink::fulfil(Held& held) {
  Wish wish = std::move(*wish_);
  wish_.reset();
  One goes;
  for (const One& replica : line_)
    if (wish.from.empty() ? !goes || replica->place.host == wish.to.host : replica->place.is(wish.from))
      goes = replica;
  std::string wrong = "none of its replicas is at " + wish.from;
  if (goes && !fits(wish.to, *goes))
    wrong = "another of its replicas is on that host, which --same-host allows";
  else if (goes)
    wrong = go(held, goes, std::move(wish.to), "it was asked to move");
  moved_ = wrong;
  moving_ = false;
  changed_.notify_all();
}

// Whether a replica may be there once `goes` has gone.
bool ReplicaLink::fits(const Spare& place, const Replica& goes) const {
  return replication_.same_host || !hosts_beside(goes).count(place.host);
}

std::set<std::string> ReplicaLink::hosts_beside(const Replica& goes) const {
  std::set<std::string> hosts;
  for (const One& replica : line_)
    if (replica.get() != &goes) hosts.insert(replica->place.host);
  return hosts;
}

std::string ReplicaLink::go(Held& held, const One& goes, Spare to, const std::string& why) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = to.name;
  if (own_) return "the device reported an error";
  fresh_ = start(std::move(to), 1);
  if (!get_in_line(held)) return over_ ? over_what_ : name + " did not come to the same state";
  say_came(device_, name, goes->place.name, why, begin, log_, image_.get());
  for (auto at = line_.begin(); at != line_.end(); ++at) {
    if (*at != goes) continue; // it may have been lost meanwhile
    line_.erase(at);
    break;
  }
  goes->retired = true;
  goes->in_line = false;
  standing_->replicas(line_.size());
  review();
  held.unlock();
  stop(goes);
  held.lock();
  return "";
}

// One whose server is about to end, and for which a place was not looked for just now.
ReplicaLink::One ReplicaLink::leaving() const {
  if (!logged_ || own_ || std::chrono::steady_clock::now() - looked_ <= Spares::look_again) return nullptr;
  for (const One& replica : line_)
    if (const auto& heartbeat = replica->place.visit.heartbeat; heartbeat && heartbeat->leaving())
      return replica;
  return nullptr;
}

void ReplicaLink::leave(Held& held, const One& goes) {
  const std::string from = goes->place.name;
  std::set<std::string> hosts;
  if (!replication_.same_host) hosts = hosts_beside(*goes);
  hosts.insert(goes->place.host);
  held.unlock();
  std::optional<Spare> to = spares_->take_from_others(hosts);
  held.lock();
  std::string wrong = "no GPU of another host is free";
  if (to && !troubled()) wrong = go(held, goes, std::move(*to), "its server is about to end");
  looked_ = std::chrono::steady_clock::now();
  if (wrong.empty()) looked_ = {}; // another of them may have to go, too
  if (wrong.empty() || troubled() || stays_) return;
  stays_ = true;
  say_stays(device_, from, wrong);
  goes->place.visit.heartbeat->set_movable(false);
}

} // namespace tasuki::remote

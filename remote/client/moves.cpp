// A device moves to another worker because it was asked to.
#include <remote/client/lasting_link.hpp>

#include <remote/link/heartbeat.hpp>

namespace tasuki::remote {

std::string LastingLink::move(Spare to, const std::string& from) {
  Held held(mutex_);
  if (over_) return over_what_;
  if (!logged_) return "its log was too long for --log";
  if (wish_ || moving_) return "it is moving already";
  if (!from.empty() && !worker_->place.is(from)) return "it is at " + worker_->place.name;
  wish_ = std::move(to);
  moving_ = true;
  changed_.notify_all();
  changed_.wait(held, [this] { return over_ || !moving_; });
  return over_ ? over_what_ : moved_;
}

void LastingLink::fulfil(Held& held) {
  Spare to = std::move(*wish_);
  wish_.reset();
  moved_ = go(held, std::move(to), "it was asked to move");
  moving_ = false;
  changed_.notify_all();
}

std::string LastingLink::go(Held& held, Spare to, const std::string& why) {
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<Worker> next = start(std::move(to)), before = worker_;
  const std::string wrong = move_to(held, next);
  if (wrong.empty()) {
    say_came(device_, next->place.name, before->place.name, why, begin, log_, image_.get());
    next.swap(before);
  }
  held.unlock();
  stop(next);
  held.lock();
  return wrong;
}

bool LastingLink::leaving() const {
  const auto& heartbeat = worker_->place.visit.heartbeat;
  return logged_ && !own_ && heartbeat && heartbeat->leaving() &&
         std::chrono::steady_clock::now() - looked_ > Spares::look_again;
}

// To a spare of another host, else to a free GPU of those that the program was started with. Where there is none it is looked for
// again and again, as others may leave theirs.
void LastingLink::leave(Held& held) {
  const std::string from = worker_->place.name, host = worker_->place.host;
  held.unlock();
  std::optional<Spare> to = spares_->take_from_others({host});
  held.lock();
  std::string wrong = "no GPU of another host is free";
  if (to && !troubled()) wrong = go(held, std::move(*to), "its server is about to end");
  looked_ = std::chrono::steady_clock::now();
  if (wrong.empty() || troubled() || stays_) return;
  stays_ = true;
  say_stays(device_, from, wrong);
  worker_->place.visit.heartbeat->set_movable(false);
}

// At a moment when both have done all calls and all has been told, one is as good as the other.
std::string LastingLink::move_to(Held& held, const std::shared_ptr<Worker>& next) {
  Player player{log_.begin(), true, {}, {}};
  const Imaging::Workers here{worker_}, both{worker_, next};
  const std::string not_there = next->place.name + " did not come to the same state";
  if (!play_most(held, log_, image_.get(), *next, player, changed_, over_))
    return not_there; // the program went on meanwhile
  if (!imaging_.drained(held, here, changed_, over_, &sending_)) return "the device reported an error";
  const auto order = Imaging::quiet(held, sending_, log_, changed_, over_);
  if (!order) return "its streams stop for the program all the time; try again";
  if (troubled() || !play(held, *next, player) || !imaging_.drained(held, both, changed_, over_))
    return not_there;
  changed_.wait(held, [this] { return troubled() || !log_.waits(); });
  if (troubled() || !next->usable() || next->fault != Status::success) return not_there;
  next->held.clear(); // the other has said it
  next->answered.clear();
  next->reached = reached_;
  next->printed = printed_;
  next->troubles = troubles_;
  worker_ = next;
  return "";
}

} // namespace tasuki::remote

// What takes time: replicas that are lost or wrong are replaced.
#include <remote/client/replicas.hpp>
#include <remote/link/heartbeat.hpp>
#include <remote/wire/digest.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tasuki::remote {

namespace {

constexpr int uses_of_a_place = 3;       // workers of a replica's GPU, one after the other
constexpr std::size_t votes_at_most = 6; // on one call

bool faulty(const Worker& worker) { return worker.usable() && worker.fault != Status::success; }

} // namespace

void ReplicaLink::keep() {
  Held held(mutex_);
  for (;;) {
    const auto called = [this] { return troubled() || wish_ || leaving(); };
    changed_.wait_for(held, imaging_.pause(), called);
    if (over_) return;
    spares_->let_go();
    if (troubled())
      recover(held);
    else if (wish_)
      fulfil(held);
    else if (const One goes = leaving())
      leave(held, goes);
    else if (logged_ && !own_ && imaging_.due(log_))
      take_image(held);
  }
}

bool ReplicaLink::troubled() const {
  return over_ || !undecided_.empty() || std::any_of(line_.begin(), line_.end(), [this](const One& replica) {
           return !replica->usable() || (replica->fault != Status::success && !own_);
         });
}

// What has been told by now will not come again from one that begins with the image.
void ReplicaLink::take_image(Held& held) {
  const Imaging::Workers all(line_.begin(), line_.end());
  if (!imaging_.drained(held, all, changed_, over_, &sending_)) return imaging_.later();
  const auto order =
      Imaging::quiet(held, sending_, log_, changed_, over_); // the program's calls wait from here
  if (!order) return imaging_.later();
  if (troubled()) return;
  std::unique_ptr<Image> image =
      imaging_.take(held, all, log_, changed_, over_, [this] { return troubled(); });
  if (imaging_.differed() && !over_ && replication_.tolerance) {
    // What lies in other places may well differ there. What is wrong is found by a copy, and computed again from the image before.
    if (!std::exchange(told_apart_, true))
      std::fprintf(stderr,
                   "tasuki: device %d has no image now: the memory of its replicas lies further apart than "
                   "the tolerance\n",
                   device_);
    imaging_.taken(log_); // the next is due as if this one had been
  } else if (imaging_.differed() && !over_) {
    retire(line_.front()->number, "its memory and others' differ, so it has to compute it again");
  }
  if (!image) return;
  log_.cut(log_.end(), true);
  image_ = std::move(image);
  imaging_.taken(log_);
  standing_->image(image_->bytes());
  standing_->log(log_.bytes());
  reached_.clear();
  printed_ = troubles_ = 0;
  for (const One& replica : line_) {
    replica->reached.clear();
    replica->text.clear();
    replica->printed = replica->troubles = 0;
  }
  changed_.notify_all();
}

void ReplicaLink::recover(Held& held) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    look_into_faults(held);
    for (const u64 number : std::vector<u64>(undecided_.begin(), undecided_.end())) {
      fetch(held, number);
      decide(number);
    }
    out_of_line(held);
    say_who_came(begin);
    if (over_) return;
    if (own_ && (line_.empty() || !undecided_.empty()))
      return end("its replicas are gone after a fault of a kernel", "start the program again");
    if (own_ || (line_.size() >= wanted_ && undecided_.empty()) || !bring(held)) return;
  }
}

// A call of this link's own to one in line; its number.
u64 ReplicaLink::ask(Held& held, Replica& replica, std::vector<unsigned char> frame) {
  CallHead head;
  std::memcpy(&head, frame.data(), sizeof head);
  head.number = own_number + ++own_calls_;
  std::memcpy(frame.data(), &head, sizeof head);
  held.unlock();
  try {
    std::lock_guard order(sending_); // no call is half on its way
    replica.place.visit.link->write({frame.data(), frame.size()});
  } catch (const LinkLost&) {
    replica.place.visit.link->shut(); // its reader says so
  }
  held.lock();
  return head.number;
}

// A fault of a kernel is the program's own where most replicas come to it, else of one GPU.
void ReplicaLink::look_into_faults(Held& held) {
  if (own_ || std::none_of(line_.begin(), line_.end(), [](const One& r) { return faulty(*r); })) return;
  std::vector<std::pair<One, u64>> asked;
  for (const One& replica : std::vector<One>(line_)) {
    if (!replica->usable() || faulty(*replica)) continue;
    std::vector<unsigned char> wait;
    frame(0, true, call::WaitDevice{}, 0, wait);
    asked.emplace_back(replica, ask(held, *replica, std::move(wait)));
  }
  changed_.wait(held, [&] {
    return over_ || std::all_of(asked.begin(), asked.end(), [&](const auto& one) {
             return !one.first->usable() || faulty(*one.first) || one.first->own.count(one.second);
           });
  });
  if (over_) return;
  for (const auto& [replica, number] : asked) replica->own.erase(number);
  std::size_t well = 0;
  for (const One& replica : line_) {
    if (faulty(*replica)) ++faults_;
    if (replica->usable() && !faulty(*replica)) ++well;
  }
  if (faults_ >= 2 && faults_ > well) return it_is_the_programs_own();
  for (const One& replica : line_)
    if (faulty(*replica))
      retire(replica->number, "it reported error " + std::to_string(static_cast<int>(replica->fault)) +
                                  (well ? ", and the others did not" : ""));
}

void ReplicaLink::it_is_the_programs_own() {
  own_ = true;
  if (fault_.head.error) deliver(fault_);
  for (const One& replica : line_) {
    std::deque<Message> faulted;
    faulted.swap(replica->faulted);
    for (Message& message : faulted) vote(*replica, std::move(message), 0);
  }
  review();
}

// The bytes behind the digests of a call, where they are still what they were.
void ReplicaLink::fetch(Held& held, u64 number) {
  const Log::Entry* entry = log_.waiting(number);
  if (!entry || !ballots_.count(number) || !ballots_.at(number).of_bytes()) return;
  const std::vector<unsigned char> frame(entry->frame(), entry->frame() + entry->bytes);
  std::vector<std::pair<One, u64>> asked;
  for (const One& replica : std::vector<One>(line_)) {
    const auto ballot = ballots_.find(number);
    if (ballot == ballots_.end()) return;
    Ballot::Vote* vote = ballot->second.of(replica->number);
    if (!replica->usable() || !vote || vote->whole || vote->asked) continue;
    vote->asked = true;
    asked.emplace_back(replica, ask(held, *replica, frame));
  }
  changed_.wait(held, [&] {
    return over_ || std::all_of(asked.begin(), asked.end(), [](const auto& one) {
             return !one.first->usable() || one.first->own.count(one.second);
           });
  });
  for (const auto& [replica, own] : asked) {
    const auto ballot = ballots_.find(number);
    const auto come = replica->own.find(own);
    if (ballot == ballots_.end() || come == replica->own.end()) continue;
    std::vector<unsigned char> body = std::move(come->second.body);
    replica->own.erase(come);
    Ballot::Vote* vote = ballot->second.of(replica->number);
    if (!vote || digest_of({body.data(), body.size()}) != vote->value)
      continue; // others have changed it since
    vote->message.head.answer = static_cast<std::uint16_t>(Answer::Bytes);
    vote->message.head.bytes = static_cast<u32>(body.size());
    vote->message.body = std::move(body);
    vote->whole = true;
  }
}

// Those that are lost or wrong. What they have voted stays.
void ReplicaLink::out_of_line(Held& held) {
  std::vector<One> out;
  for (std::size_t n = 0; n < line_.size();) {
    const One replica = line_[n];
    if (replica->usable()) {
      ++n;
      continue;
    }
    replica->retired = true;
    replica->in_line = false;
    out.push_back(replica);
    line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(n));
    lost_.emplace_back(replica->place.name, replica->why.empty() ? replica->gone : replica->why);
    const Spare& place = replica->place;
    if (place.open && replica->fault == Status::success && replica->uses < uses_of_a_place)
      again_.emplace_back(Spare{place.name, place.host, place.open, {}}, replica->uses + 1);
  }
  if (out.empty()) return;
  standing_->replicas(line_.size());
  for (std::size_t n = 0; n < out.size(); ++n) standing_->fault();
  review();
  held.unlock();
  for (const One& replica : out) stop(replica);
  held.lock();
}

// Spares first. Where none is left, a fresh worker where one was lost; where all are in line and do not agree, one of them has to go
// and comes again.
ReplicaLink::One ReplicaLink::next(Held& held) {
  if (!logged_) return nullptr;
  for (;;) {
    std::set<std::string> hosts;
    for (const One& replica : line_) hosts.insert(replica->place.host);
    held.unlock();
    std::optional<Spare> spare =
        spares_->take([&](const Spare& s) { return replication_.same_host || !hosts.count(s.host); });
    held.lock();
    if (over_) return nullptr;
    if (spare) return start(std::move(*spare), 1);
    if (line_.size() < wanted_) break;
    retire(line_.front()->number, "its bytes and others' differ, so it has to compute them again");
    out_of_line(held);
  }
  while (!again_.empty() && !over_) {
    auto [place, uses] = std::move(again_.front());
    again_.pop_front();
    held.unlock();
    try {
      place.visit = place.open();
      held.lock();
      return start(std::move(place), uses);
    } catch (const Error&) { // its server is gone, too
      held.lock();
    }
  }
  return nullptr;
}

// One more plays the log and gets in line. False: there is nobody, or all is over.
bool ReplicaLink::bring(Held& held) {
  for (const u64 number : undecided_)
    if (ballots_.at(number).votes().size() >= votes_at_most) {
      end("its replicas come to other bytes each time",
          "its kernels do not come to the same result twice: run it without --redundant");
      return false;
    }
  fresh_ = next(held);
  if (!fresh_) {
    if (!over_) give_up();
    return false;
  }
  const std::string name = fresh_->place.name;
  if (get_in_line(held)) came_.push_back(name);
  return !over_;
}

// Where it cannot, it is gone.
bool ReplicaLink::get_in_line(Held& held) {
  Player player{log_.begin(), true, {}, {}};
  bool there = play_most(held, log_, image_.get(), *fresh_, player, changed_, over_); // the others go on
  held.unlock();
  std::unique_lock order(sending_); // the program's calls wait for the rest
  held.lock();
  there = there && play(held, log_, image_.get(), *fresh_, player, changed_, over_);
  const One fresh = std::move(fresh_);
  fresh_ = nullptr;
  if (there) {
    fresh->in_line = true;
    fresh->answered.clear();
    line_.push_back(fresh);
    standing_->replicas(line_.size());
    review();
    return !over_;
  }
  fresh->retired = true;
  order.unlock();
  held.unlock();
  stop(fresh);
  held.lock();
  return false;
}

void ReplicaLink::give_up() {
  if (undecided_.empty() && line_.size() >= 2) {
    std::fprintf(stderr, "tasuki: device %d goes on with %zu replicas: %s (%s), and no spare is left\n",
                 device_, line_.size(), lost_.front().first.c_str(), lost_.front().second.c_str());
    wanted_ = line_.size();
    lost_.clear();
    return;
  }
  const std::string why = lost_.empty() ? "its replicas come to different bytes" : lost_.back().second;
  end(why + (logged_ ? ", and no spare is left" : ", and a spare would have no log to play"),
      logged_ ? "start with more of them (--spare N)" : "start with a larger --log");
}

void ReplicaLink::say_who_came(std::chrono::steady_clock::time_point begin) {
  while (!came_.empty() && !lost_.empty()) {
    say_came(device_, came_.front(), lost_.front().first, lost_.front().second, begin, log_, image_.get());
    came_.erase(came_.begin());
    lost_.erase(lost_.begin());
  }
}

// What is still waited for stays, for the answers.
void ReplicaLink::give_up_log() {
  if (logged_) say_given_up(device_, line_.empty() ? names_[0] : line_.front()->place.name, log_);
  logged_ = false;
  log_.cut(log_.end());
  standing_->log(Report::none);
  for (const One& replica : line_)
    if (const auto& heartbeat = replica->place.visit.heartbeat) heartbeat->set_movable(false);
}

} // namespace tasuki::remote

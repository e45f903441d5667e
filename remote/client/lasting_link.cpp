#include <remote/client/lasting_link.hpp>
#include <remote/link/heartbeat.hpp>

#include <algorithm>
#include <cstdio>

namespace tasuki::remote {

LastingLink::LastingLink(int device, Spare first, std::shared_ptr<Spares> spares, Log::Room room,
                         Imaging::Rule images, std::shared_ptr<Standing> standing)
    : device_(device),
      spares_(std::move(spares)),
      standing_(std::move(standing)),
      log_(std::move(room)),
      imaging_(device, std::move(images)) {
  std::lock_guard hold(mutex_);
  worker_ = start(std::move(first));
  keeper_ = std::thread([this] { keep(); });
}

LastingLink::~LastingLink() {
  shut();
  keeper_.join();
  stop(worker_);
}

std::shared_ptr<Worker> LastingLink::start(Spare place) {
  auto worker = std::make_shared<Worker>();
  worker->place = std::move(place);
  if (worker->place.visit.heartbeat) worker->place.visit.heartbeat->set_movable(true);
  tell(worker->place.visit, standing_);
  worker->reader = std::thread([this, w = worker.get()] { read_from(*w); });
  return worker;
}

void LastingLink::stop(const std::shared_ptr<Worker>& worker) {
  worker->place.visit.link->shut();
  if (worker->reader.joinable()) worker->reader.join();
}

void LastingLink::write(const Piece* pieces, std::size_t count) {
  if (Held held(mutex_);
      imaging_.wanted()) // the next image makes room; but a stream may wait for this very call
    changed_.wait_for(held, std::chrono::seconds(1),
                      [this] { return over_ || !logged_ || playing_ || log_.stops() || !log_.full(); });
  std::lock_guard order(sending_);
  std::shared_ptr<Worker> worker;
  {
    std::lock_guard hold(mutex_);
    if (over_) throw LinkLost(over_what_, over_mend_);
    each_frame(pieces, count, [this](View first, View rest) { log_.add(first, rest); });
    if (logged_) standing_->log(log_.bytes());
    if (log_.full() && !playing_) give_up_log();
    if (playing_) return; // the keeper sends it
    worker = worker_;
  }
  try {
    worker->place.visit.link->write(pieces, count);
  } catch (const LinkLost&) {
    worker->place.visit.link->shut(); // its reader finds it, too
  }
}

std::size_t LastingLink::read(void* to, std::size_t at_least, std::size_t at_most) {
  Held held(mutex_);
  auto* out = static_cast<unsigned char*>(to);
  std::size_t got = 0;
  while (got < at_most) {
    const std::size_t here = inbox_.take(out + got, at_most - got);
    got += here;
    if (here) continue;
    if (got >= at_least) break;
    if (over_) throw LinkLost(over_what_, over_mend_);
    changed_.wait(held);
  }
  return got;
}

void LastingLink::shut() noexcept { shut_for("the connection was shut"); }

void LastingLink::shut_for(const std::string& why) noexcept {
  std::lock_guard hold(mutex_);
  end(why, "start the program again");
  worker_->place.visit.link->shut();
}

std::string LastingLink::peer() const {
  std::lock_guard hold(mutex_);
  return worker_->place.name;
}

void LastingLink::end(const std::string& what, const std::string& mend) {
  if (over_) return;
  over_ = true;
  over_what_ = what;
  over_mend_ = mend;
  changed_.notify_all();
}

void LastingLink::read_from(Worker& worker) {
  std::string why;
  try {
    for (;;) {
      Message message = next_answer(*worker.place.visit.link);
      std::lock_guard hold(mutex_);
      take(worker, std::move(message));
    }
  } catch (const std::exception& e) {
    why = what_of(e);
  }
  std::lock_guard hold(mutex_);
  worker.gone = why;
  changed_.notify_all();
}

void LastingLink::take(Worker& worker, Message message) {
  if (is_new(worker, message)) {
    // One that has come in may say only now that a variable lies elsewhere: what comes behind that is not told.
    const bool sure = &worker == worker_.get() && !playing_ && !doubt_ && !worker.unfit;
    if (sure && worker.fault != Status::success && !own_ && logged_) {
      doubt_ = true;
      doubted_ = message.head.number;
      worker.held.push_back(std::move(message));
    } else if (sure) {
      return deliver(std::move(message));
    } else {
      worker.held.push_back(std::move(message));
    }
  }
  changed_.notify_all();
}

// Whether the program has to hear of it. One that plays the log says again what another has said before it.
bool LastingLink::is_new(Worker& worker, Message& message) {
  const AnswerHead& head = message.head;
  const auto status = static_cast<Status>(head.error);
  if (head.number) {
    const bool waited_for = log_.waiting(head.number);
    if (sticky(status) && (waited_for || head.number >= own_number)) worker.fault = status;
    // One that plays may come to it before the other has answered: whoever plays the answer's mark finds it done.
    if (waited_for && &worker != worker_.get()) worker.answered.insert(head.number);
    if (waited_for) return true;
    if (head.number >= own_number) {
      worker.own[head.number] = std::move(message);
      return false;
    }
    worker.answered.insert(head.number);
    const auto place = places_.find(head.number);
    if (head.error || (place != places_.end() && place->second != message.body)) worker.unfit = true;
    return false;
  }
  if (is(head, Answer::Trouble)) {
    if (sticky(status)) worker.fault = status;
    return ++worker.troubles > troubles_;
  }
  if (is(head, Answer::Reached)) {
    const u64 token = message_of<answer::Reached>(message.body).token;
    return ++worker.reached[token] > reached_[token];
  }
  if (is(head, Answer::Printed)) {
    const u64 before = worker.printed;
    worker.printed += message.body.size();
    if (worker.printed <= printed_) return false;
    if (before < printed_) {
      message.body.erase(message.body.begin(), message.body.begin() + static_cast<long>(printed_ - before));
      message.head.bytes = static_cast<u32>(message.body.size());
    }
  }
  return true;
}

void LastingLink::deliver(Message message) {
  const AnswerHead& head = message.head;
  if (head.number) {
    if (!head.error && log_.waited_for(head.number) == Call::FindVariable)
      places_[head.number] = message.body;
    log_.answered(head.number, head.error);
  } else if (is(head, Answer::Trouble)) {
    ++troubles_;
  } else if (is(head, Answer::Reached)) {
    const u64 token = message_of<answer::Reached>(message.body).token;
    ++reached_[token];
    log_.reached(token);
  } else if (is(head, Answer::Printed)) {
    printed_ += message.body.size();
  }
  inbox_.add(std::move(message));
  changed_.notify_all();
}

// What is still waited for stays, for the answers.
void LastingLink::give_up_log() {
  if (logged_) say_given_up(device_, worker_->place.name, log_);
  logged_ = false;
  log_.cut(log_.end());
  standing_->log(Report::none);
  if (const auto& heartbeat = worker_->place.visit.heartbeat) heartbeat->set_movable(false);
}

void LastingLink::keep() {
  Held held(mutex_);
  for (;;) {
    const auto asked = [this] { return troubled() || wish_ || leaving(); };
    changed_.wait_for(held, imaging_.pause(), asked);
    if (over_) return;
    spares_->let_go();
    if (troubled())
      replace(held);
    else if (wish_)
      fulfil(held);
    else if (leaving())
      leave(held);
    else if (logged_ && imaging_.due(log_))
      take_image(held);
  }
}

// What has been told by now will not come again from one that begins with the image.
void LastingLink::take_image(Held& held) {
  const Imaging::Workers one{worker_};
  if (!imaging_.drained(held, one, changed_, over_, &sending_)) return imaging_.later();
  const auto order =
      Imaging::quiet(held, sending_, log_, changed_, over_); // the program's calls wait from here
  if (!order) return imaging_.later();
  if (troubled()) return;
  std::unique_ptr<Image> image =
      imaging_.take(held, one, log_, changed_, over_, [this] { return troubled(); });
  if (!image) return;
  log_.cut(log_.end(), true);
  image_ = std::move(image);
  imaging_.taken(log_);
  standing_->image(image_->bytes());
  standing_->log(log_.bytes());
  reached_.clear();
  worker_->reached.clear();
  printed_ = troubles_ = worker_->printed = worker_->troubles = 0;
  changed_.notify_all();
}

// Whether one that has played the log comes to the fault which is doubted.
bool LastingLink::has_the_fault(Held& held, Worker& worker) {
  const bool asks = !doubted_ && log_.stops() == 0; // else the wait would be for the client itself
  if (asks) {
    std::vector<unsigned char> wait;
    frame(own_number, true, call::WaitDevice{}, 0, wait);
    held.unlock();
    try {
      worker.place.visit.link->write({wait.data(), wait.size()});
    } catch (const LinkLost&) {
      worker.place.visit.link->shut(); // its reader says so
    }
    held.lock();
  }
  changed_.wait(held, [&] {
    if (over_ || !worker.usable() || worker.fault != Status::success) return true;
    if (!doubted_) return !asks || worker.own.count(own_number) > 0;
    return std::any_of(worker.held.begin(), worker.held.end(),
                       [this](const Message& m) { return m.head.number == doubted_; });
  });
  return worker.fault != Status::success || (!doubted_ && !asks);
}

// A spare that has come to where the log ends, or null. Where the fault is the program's own, the worker stays that has it.
std::shared_ptr<Worker> LastingLink::found(Held& held) {
  while (logged_ && !over_ && !own_) {
    held.unlock();
    std::optional<Spare> spare = spares_->take();
    held.lock();
    if (!spare) return nullptr;
    std::shared_ptr<Worker> tried = start(std::move(*spare));
    Player player{log_.begin(), true, {}, {}};
    if (play(held, *tried, player)) {
      if (doubt_ && has_the_fault(held, *tried) && tried->usable()) own_ = true;
      if (!(own_ && worker_->usable()) && play(held, *tried, player)) return tried;
    }
    held.unlock();
    stop(tried);
    if (own_) spares_->give_back(std::move(tried->place));
    held.lock();
  }
  return nullptr;
}

void LastingLink::replace(Held& held) {
  const auto begin = std::chrono::steady_clock::now();
  const std::shared_ptr<Worker> before = worker_;
  if (!before->usable()) before->place.visit.link->shut(); // a writer may stand at it
  held.unlock();
  sending_.lock(); // no call is half on its way
  held.lock();
  Player rest{log_.end(), false, {}, {}};
  playing_ = true;
  sending_.unlock();
  const std::shared_ptr<Worker> next = found(held);
  if (over_) {
    if (next) {
      held.unlock();
      stop(next);
      held.lock();
    }
    return;
  }
  std::string why = before->gone;
  if (why.empty() && !before->usable()) why = "its worker answered otherwise than the one before";
  if (!next) {
    own_ = own_ || doubt_; // nobody is left who could be asked
    if (before->usable() && play(held, *before, rest)) return go_on(before);
    return end(why + (logged_ ? ", and no spare is left" : ", and a spare would have no log to play"),
               logged_ ? "start with more of them (--spare N), or --degrade" : "start with a larger --log");
  }
  if (why.empty())
    why = "it reported error " + std::to_string(static_cast<int>(before->fault)) + ", and the spare did not";
  say_came(device_, next->place.name, before->place.name, why, begin, log_, image_.get());
  standing_->fault();
  go_on(next);
  held.unlock();
  stop(before);
  held.lock();
}

// Calls go to this worker from now on, and what it has said is told.
void LastingLink::go_on(const std::shared_ptr<Worker>& worker) {
  worker_ = worker;
  worker->answered.clear();
  playing_ = false;
  doubt_ =
      worker->fault != Status::success && !own_; // the spare is the first to have it: is it the program's?
  doubted_ = 0;
  if (doubt_) {
    for (const Message& message : worker->held)
      if (sticky(static_cast<Status>(message.head.error)) && !doubted_) doubted_ = message.head.number;
    return;
  }
  std::deque<Message> held;
  held.swap(worker->held);
  for (Message& message : held) deliver(std::move(message));
}

} // namespace tasuki::remote

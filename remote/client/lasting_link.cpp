#include <remote/client/lasting_link.hpp>

#include <algorithm>
#include <cstdio>

namespace tasuki::remote {

namespace {

constexpr std::size_t answer_limit = 64u << 20;
constexpr std::size_t batch_bytes = 256u << 10;
constexpr u64 own_number = 1ull << 63; // of a call that this link makes by itself

std::string seconds_since(std::chrono::steady_clock::time_point begin) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return text;
}

// "what; mend" without the mend.
std::string what_of(const std::exception& e) {
  const std::string text = e.what();
  return text.substr(0, text.rfind("; "));
}

template <class Message>
Message message_of(const std::vector<unsigned char>& body) {
  Message message;
  View tail;
  decode({body.data(), body.size()}, message, tail);
  return message;
}

bool is(const AnswerHead& head, Answer answer) { return head.answer == static_cast<std::uint16_t>(answer); }

} // namespace

LastingLink::LastingLink(int device, Spare first, std::shared_ptr<Spares> spares, u64 most)
    : device_(device), spares_(std::move(spares)), most_(most) {
  std::lock_guard hold(mutex_);
  worker_ = start(std::move(first));
  keeper_ = std::thread([this] { keep(); });
}

LastingLink::~LastingLink() {
  shut();
  keeper_.join();
  stop(worker_);
}

std::shared_ptr<LastingLink::Worker> LastingLink::start(Spare place) {
  auto worker = std::make_shared<Worker>();
  worker->place = std::move(place);
  worker->reader = std::thread([this, w = worker.get()] { read_from(*w); });
  return worker;
}

void LastingLink::stop(const std::shared_ptr<Worker>& worker) {
  worker->place.visit.link->shut();
  if (worker->reader.joinable()) worker->reader.join();
}

// Frames come whole; only the last one's tail may lie in the second piece.
void LastingLink::write(const Piece* pieces, std::size_t count) {
  std::lock_guard order(sending_);
  std::shared_ptr<Worker> worker;
  {
    std::lock_guard hold(mutex_);
    if (over_) throw LinkLost(over_what_, over_mend_);
    const auto* bytes = static_cast<const unsigned char*>(pieces[0].data);
    for (std::size_t at = 0; at < pieces[0].size;) {
      CallHead head;
      std::memcpy(&head, bytes + at, sizeof head);
      const std::size_t whole = sizeof head + head.bytes, here = std::min(whole, pieces[0].size - at);
      const bool split = here < whole && count > 1;
      log_.add({bytes + at, here}, split ? View{pieces[1].data, pieces[1].size} : View{});
      at += here;
    }
    if (log_.bytes() > most_ && !playing_) give_up_log();
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
    if (inbox_.empty()) {
      if (got >= at_least) break;
      if (over_) throw LinkLost(over_what_, over_mend_);
      changed_.wait(held);
      continue;
    }
    const Message& first = inbox_.front();
    const auto part = [&](const void* from, std::size_t bytes, std::size_t begin) {
      if (taken_ < begin || taken_ - begin >= bytes) return;
      const std::size_t n = std::min(at_most - got, bytes - (taken_ - begin));
      std::memcpy(out + got, static_cast<const unsigned char*>(from) + (taken_ - begin), n);
      got += n;
      taken_ += n;
    };
    part(&first.head, sizeof first.head, 0);
    part(first.body.data(), first.body.size(), sizeof first.head);
    if (taken_ < sizeof first.head + first.body.size()) continue;
    inbox_.pop_front();
    taken_ = 0;
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
      Message message;
      Link& link = *worker.place.visit.link;
      link.read(&message.head, sizeof message.head, sizeof message.head);
      if (message.head.bytes > answer_limit) throw LinkLost("its worker sent an answer without end", "");
      message.body.resize(message.head.bytes);
      if (message.head.bytes) link.read(message.body.data(), message.body.size(), message.body.size());
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
    const bool sure = &worker == worker_.get() && !playing_ && !doubt_;
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
    if (waited_for) return true;
    worker.answered.insert(head.number);
    if (head.number >= own_number) return false;
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
  inbox_.push_back(std::move(message));
  changed_.notify_all();
}

// What is still waited for stays, for the answers.
void LastingLink::give_up_log() {
  if (logged_)
    std::fprintf(
        stderr,
        "tasuki: device %d (%s): the log of its calls has come to %llu MiB, so no spare can come in for "
        "it any more; give a larger --log\n",
        device_, worker_->place.name.c_str(), static_cast<unsigned long long>(most_ >> 20));
  logged_ = false;
  log_.cut(log_.end());
}

void LastingLink::keep() {
  Held held(mutex_);
  for (;;) {
    changed_.wait(held, [this] { return over_ || !worker_->usable() || doubt_; });
    if (over_) return;
    replace(held);
  }
}

// Sends what the log holds behind the player's place, up to its end; returns with mutex_ held ever since it was there, so whoever
// lets writers send by themselves next misses nothing. At a mark it waits as the program has waited: what lies behind may rely on
// what lies before. False: its worker is not usable.
bool LastingLink::play(Held& held, Worker& worker, Player& player) {
  std::vector<unsigned char> batch;
  for (;;) {
    batch.clear();
    const Log::Entry* entry = nullptr;
    while (batch.size() < batch_bytes && (entry = log_.at(player.at)) && comes_past(*entry, worker, player)) {
      if (entry->kind == Log::Kind::call)
        batch.insert(batch.end(), entry->frame(), entry->frame() + entry->bytes);
      log_.next(player.at);
    }
    if (over_ || !worker.usable()) return false;
    if (batch.empty()) {
      if (!entry) return true;
      changed_.wait(held); // at a mark
      continue;
    }
    held.unlock();
    try {
      worker.place.visit.link->write({batch.data(), batch.size()});
    } catch (const LinkLost&) {
      held.lock();
      return false;
    }
    held.lock();
  }
}

bool LastingLink::comes_past(const Log::Entry& entry, Worker& worker, Player& player) {
  if (entry.kind == Log::Kind::call && row_of(entry.call)->logged == Logged::waits)
    player.sent.insert(entry.number);
  if (entry.kind == Log::Kind::answered && player.sent.count(entry.number)) {
    if (!worker.answered.count(entry.number)) return false;
    player.sent.erase(entry.number);
    worker.answered.erase(entry.number);
  }
  if (entry.kind == Log::Kind::reached && player.from_the_start) {
    if (worker.reached[entry.number] <= player.reached[entry.number]) return false;
    ++player.reached[entry.number];
  }
  return true;
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
    if (!doubted_) return !asks || worker.answered.count(own_number) > 0;
    return std::any_of(worker.held.begin(), worker.held.end(),
                       [this](const Message& m) { return m.head.number == doubted_; });
  });
  return worker.fault != Status::success || (!doubted_ && !asks);
}

// A spare that has come to where the log ends, or null. Where the fault is the program's own, the worker stays that has it.
std::shared_ptr<LastingLink::Worker> LastingLink::found(Held& held) {
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
  if (why.empty() && !before->usable()) why = "its worker answered twice";
  if (!next) {
    own_ = own_ || doubt_; // nobody is left who could be asked
    if (before->usable() && play(held, *before, rest)) return go_on(before);
    return end(why + (logged_ ? ", and no spare is left" : ", and a spare would have no log to play"),
               logged_ ? "start with more of them (--spare N), or --degrade" : "start with a larger --log");
  }
  if (why.empty())
    why = "it reported error " + std::to_string(static_cast<int>(before->fault)) + ", and the spare did not";
  std::fprintf(stderr, "tasuki: device %d: %s comes in for %s (%s) after %s and %.1f MB of calls\n", device_,
               next->place.name.c_str(), before->place.name.c_str(), why.c_str(),
               seconds_since(begin).c_str(), static_cast<double>(log_.bytes()) / 1e6);
  go_on(next);
  held.unlock();
  stop(before);
  held.lock();
}

// Calls go to this worker from now on, and what it has said is told.
void LastingLink::go_on(const std::shared_ptr<Worker>& worker) {
  worker_ = worker;
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

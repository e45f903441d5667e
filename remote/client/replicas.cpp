#include <remote/client/replicas.hpp>
#include <remote/link/heartbeat.hpp>
#include <remote/wire/digest.hpp>

#include <cstring>

namespace tasuki::remote {

namespace {

// What a call asks of a replica that need not send the bytes: false where it is no copy to the program.
bool as_digest(View frame, std::vector<unsigned char>& out) {
  CallHead head;
  std::memcpy(&head, frame.data, sizeof head);
  const View body{static_cast<const unsigned char*>(frame.data) + sizeof head, frame.size - sizeof head};
  View tail;
  call::CopyOut plain;
  call::CopyOutBox box;
  if (head.call == static_cast<std::uint16_t>(Call::CopyOut) && decode(body, plain, tail))
    remote::frame(head.number, true,
                  call::Digest{plain.from, plain.bytes, plain.bytes, plain.bytes, 1, 1, plain.stream}, 0,
                  out);
  else if (head.call == static_cast<std::uint16_t>(Call::CopyOutBox) && decode(body, box, tail))
    remote::frame(head.number, true,
                  call::Digest{box.from, box.pitch, box.slice, box.width, box.height, box.depth, box.stream},
                  0, out);
  else
    return false;
  return true;
}

// The same calls, for those that send digests. Empty: they are the same.
std::vector<unsigned char> with_digests(const Piece* pieces, std::size_t count) {
  std::vector<unsigned char> calls;
  const auto* begin = static_cast<const unsigned char*>(pieces[0].data);
  const unsigned char* left = begin; // not copied yet
  each_frame(pieces, count, [&](View first, View) {
    std::vector<unsigned char> digest;
    if (!as_digest(first, digest)) return;
    const auto* at = static_cast<const unsigned char*>(first.data);
    calls.insert(calls.end(), left, at);
    calls.insert(calls.end(), digest.begin(), digest.end());
    left = at + first.size;
  });
  if (!calls.empty()) calls.insert(calls.end(), left, begin + pieces[0].size);
  return calls;
}

} // namespace

ReplicaLink::ReplicaLink(int device, std::vector<Spare> replicas, std::shared_ptr<Spares> spares,
                         const Replication& replication, Agreement& agreement,
                         std::shared_ptr<Standing> standing)
    : device_(device),
      spares_(std::move(spares)),
      replication_(replication),
      agreement_(agreement),
      standing_(std::move(standing)),
      log_(replication.log),
      wanted_(replicas.size()),
      imaging_(device, replication.images) {
  std::lock_guard hold(mutex_);
  for (Spare& place : replicas) {
    line_.push_back(start(std::move(place), 1));
    line_.back()->in_line = true;
  }
  standing_->replicas(line_.size());
  keeper_ = std::thread([this] { keep(); });
}

ReplicaLink::~ReplicaLink() {
  shut();
  keeper_.join();
  for (const One& replica : line_) stop(replica);
}

ReplicaLink::One ReplicaLink::start(Spare place, int uses) {
  auto replica = std::make_shared<Replica>();
  replica->number = static_cast<int>(names_.size());
  replica->uses = uses;
  names_.push_back(place.name);
  replica->place = std::move(place);
  if (replica->place.visit.heartbeat) replica->place.visit.heartbeat->set_movable(logged_);
  tell(replica->place.visit, standing_);
  replica->reader = std::thread([this, r = replica.get()] { read_from(*r); });
  return replica;
}

void ReplicaLink::stop(const One& replica) {
  replica->place.visit.link->shut();
  if (replica->reader.joinable()) replica->reader.join();
}

void ReplicaLink::write(const Piece* pieces, std::size_t count) {
  if (Held held(mutex_);
      imaging_.wanted()) // the next image makes room; but a stream may wait for this very call
    changed_.wait_for(held, std::chrono::seconds(1),
                      [this] { return over_ || !logged_ || log_.stops() || !log_.full(); });
  std::lock_guard order(sending_);
  std::vector<One> line;
  {
    std::lock_guard hold(mutex_);
    if (over_) throw LinkLost(over_what_, over_mend_);
    each_frame(pieces, count, [this](View first, View rest) { log_.add(first, rest); });
    if (logged_) standing_->log(log_.bytes());
    if (log_.full()) give_up_log();
    line = line_;
  }
  const auto digests = replication_.tolerance ? std::vector<unsigned char>() : with_digests(pieces, count);
  for (const One& replica : line) {
    const bool same = replica == line.front() || digests.empty();
    const Piece here[] = {same ? pieces[0] : Piece{digests.data(), digests.size()},
                          count > 1 ? pieces[1] : Piece{}};
    try {
      replica->place.visit.link->write(here, count);
    } catch (const LinkLost&) {
      replica->place.visit.link->shut(); // its reader finds it, too
    }
  }
}

std::size_t ReplicaLink::read(void* to, std::size_t at_least, std::size_t at_most) {
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

void ReplicaLink::shut() noexcept { shut_for("the connection was shut"); }

void ReplicaLink::shut_for(const std::string& why) noexcept {
  std::lock_guard hold(mutex_);
  end(why, "start the program again");
  for (const One& replica : line_) replica->place.visit.link->shut();
}

std::string ReplicaLink::peer() const {
  std::lock_guard hold(mutex_);
  std::string names;
  for (const One& replica : line_) names += (names.empty() ? "" : "+") + replica->place.name;
  return names;
}

void ReplicaLink::end(const std::string& what, const std::string& mend) {
  if (over_) return;
  over_ = true;
  over_what_ = what;
  over_mend_ = mend;
  changed_.notify_all();
}

void ReplicaLink::read_from(Replica& replica) {
  std::string why;
  try {
    for (;;) {
      Message message = next_answer(*replica.place.visit.link);
      const u64 value = digest_of({message.body.data(), message.body.size()});
      std::lock_guard hold(mutex_);
      if (!replica.retired) take(replica, std::move(message), value);
    }
  } catch (const std::exception& e) {
    why = what_of(e);
  }
  std::lock_guard hold(mutex_);
  replica.gone = why;
  if (replica.in_line) review(); // the keeper may be waiting for something that was waiting for this one
  changed_.notify_all();
}

} // namespace tasuki::remote

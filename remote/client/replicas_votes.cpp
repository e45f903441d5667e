// What replicas answer: compared, and told to the program.
#include <remote/client/replicas.hpp>

#include <algorithm>
#include <cstdio>

namespace tasuki::remote {

namespace {

bool is_fault(i32 error) { return sticky(static_cast<Status>(error)); }

template <class Fields>
Message made(const Fields& fields) {
  std::vector<unsigned char> bytes;
  frame_answer(0, 0, fields, 0, bytes);
  Message message;
  std::memcpy(&message.head, bytes.data(), sizeof message.head);
  message.body.assign(bytes.begin() + sizeof message.head, bytes.end());
  return message;
}

// Where a copy to the program is from, and how much it is.
struct Range {
  u64 from = 0, bytes = 0;
};
Range range_of(const Log::Entry& entry) {
  const View body{entry.frame() + sizeof(CallHead), entry.bytes - sizeof(CallHead)};
  View tail;
  call::CopyOut plain;
  call::CopyOutBox box;
  if (entry.call == static_cast<std::uint16_t>(Call::CopyOut) && decode(body, plain, tail))
    return {plain.from, plain.bytes};
  if (entry.call == static_cast<std::uint16_t>(Call::CopyOutBox) && decode(body, box, tail))
    return {box.from, box.width * box.height * box.depth};
  return {};
}

std::string what_differs(const Ballot::Vote& right, const Ballot::Vote& wrong,
                         const std::optional<Tolerance>& tolerance) {
  const auto &a = right.message.body, &b = wrong.message.body;
  if (!right.whole || !wrong.whole || a.size() != b.size()) return "other bytes";
  if (tolerance) {
    const std::size_t numbers = tolerance->beyond(a, b);
    return std::to_string(numbers) + (numbers == 1 ? " number" : " numbers") + " further off";
  }
  std::size_t count = 0;
  for (std::size_t n = 0; n < a.size(); ++n) count += a[n] != b[n];
  return std::to_string(count) + (count == 1 ? " other byte" : " other bytes");
}

} // namespace

void ReplicaLink::take(Replica& replica, Message message, u64 value) {
  if (message.head.number >= own_number) {
    if (is_fault(message.head.error)) faults(replica, message.head.error);
    replica.own[message.head.number] = std::move(message);
  } else if (message.head.number) {
    vote(replica, std::move(message), value);
  } else if (is(message.head, Answer::Printed)) {
    print(replica, message);
  } else {
    count(replica, message);
  }
  changed_.notify_all();
}

void ReplicaLink::vote(Replica& replica, Message message, u64 value) {
  const AnswerHead& head = message.head;
  if (!replica.in_line) replica.answered.insert(head.number);
  if (!log_.waiting(head.number)) { // it plays what the program has been told
    if (own_) return;
    const auto place = places_.find(head.number);
    if (head.error || (place != places_.end() && place->second != message.body))
      retire(replica.number, "its worker answered otherwise when it played the log");
    return;
  }
  if (is_fault(head.error)) faults(replica, head.error);
  if (is_fault(head.error) && !own_) return replica.faulted.push_back(std::move(message));
  Ballot& ballot =
      ballots_.try_emplace(head.number, log_.waited_for(head.number), replication_.tolerance).first->second;
  if (ballot.has(replica.number)) return retire(replica.number, "its worker answered twice");
  const bool whole = !ballot.of_bytes() || head.error || is(head, Answer::Bytes);
  if (!whole) value = message_of<answer::Number>(message.body).value;
  const u64 number = head.number;
  ballot.add({replica.number, head.error, value, whole, std::move(message)});
  decide(number);
}

// Delivers what they agree on, or leaves it to the keeper.
void ReplicaLink::decide(u64 number) {
  const auto at = ballots_.find(number);
  if (at == ballots_.end()) return;
  Ballot& ballot = at->second;
  undecided_.erase(number);
  Ballot::Verdict verdict;
  for (const Ballot::Vote& vote : ballot.votes())
    if (own_ && is_fault(vote.error)) verdict.right = &vote;
  if (!verdict.right) {
    for (const One& replica : line_)
      if (replica->usable() && !ballot.has(replica->number)) return; // it is still to come
    verdict = ballot.verdict();
    const bool whole = verdict.right && verdict.right->whole;
    // Those that have sent a digest are asked for their bytes first: how many differ, or what the right ones are.
    const bool asks = ballot.of_bytes() && (!ballot.agreed() || !whole) &&
                      std::any_of(line_.begin(), line_.end(), [&](const One& replica) {
                        const Ballot::Vote* vote = ballot.of(replica->number);
                        return replica->usable() && vote && !vote->whole && !vote->asked;
                      });
    if (!whole || asks) {
      undecided_.insert(number);
      return;
    }
    if (!verdict.wrong.empty()) {
      say_difference(number, ballot, verdict);
      standing_->differed();
    } else if (ballot.of_bytes()) {
      agreement_.reached();
      standing_->agreed();
    }
    for (const int wrong : verdict.wrong)
      retire(wrong, "call " + std::to_string(number) + " went wrong there");
  }
  Message message = std::move(ballot.of(verdict.right->voter)->message);
  ballots_.erase(at);
  deliver(std::move(message));
}

void ReplicaLink::retire(int number, const std::string& why) {
  const auto mark = [&](const One& replica) {
    if (!replica || replica->number != number || replica->unfit) return;
    replica->unfit = replica->retired = true; // what it says from now on counts no more
    replica->why = why;
  };
  for (const One& replica : line_) mark(replica);
  mark(fresh_);
  review_reached(); // it holds up no function of the program's any more
}

void ReplicaLink::deliver(Message message) {
  const AnswerHead& head = message.head;
  if (head.number) {
    if (!head.error && log_.waited_for(head.number) == Call::FindVariable)
      places_[head.number] = message.body;
    log_.answered(head.number, head.error);
  }
  inbox_.add(std::move(message));
  changed_.notify_all();
}

// Functions that streams have come to, and calls that failed: told once all have said so.
void ReplicaLink::count(Replica& replica, const Message& message) {
  const AnswerHead& head = message.head;
  if (is(head, Answer::Reached)) {
    const u64 token = message_of<answer::Reached>(message.body).token;
    ++replica.reached[token];
    if (replica.in_line) tell_reached(token);
  } else if (is(head, Answer::Trouble) && is_fault(head.error)) {
    faults(replica, head.error);
    if (!fault_.head.error) fault_ = message;
  } else if (is(head, Answer::Trouble)) {
    if (++replica.troubles > troubles_ + troubles_ahead_.size()) troubles_ahead_.push_back(message);
    if (replica.in_line) tell_troubles();
  }
}

// One that has a fault holds up no function of the program's any more: the others may be asked to finish what they have.
void ReplicaLink::faults(Replica& replica, i32 error) {
  replica.fault = static_cast<Status>(error);
  review_reached();
}

void ReplicaLink::review_reached() {
  std::set<u64> tokens;
  for (const One& replica : line_)
    for (const auto& [token, times] : replica->reached) tokens.insert(token);
  for (const u64 token : tokens) tell_reached(token);
}

// Whether all that are in line and well have come to it; false where none is.
bool ReplicaLink::all_have(const std::function<bool(const Replica&)>& come) const {
  bool any = false;
  for (const One& replica : line_) {
    if (!replica->usable() || replica->fault != Status::success) continue;
    if (!come(*replica)) return false;
    any = true;
  }
  return any;
}

void ReplicaLink::tell_troubles() {
  while (!troubles_ahead_.empty() && all_have([this](const Replica& r) { return r.troubles > troubles_; })) {
    ++troubles_;
    deliver(std::move(troubles_ahead_.front()));
    troubles_ahead_.pop_front();
  }
}

void ReplicaLink::tell_reached(u64 token) {
  u64& told = reached_[token];
  while (all_have([&](const Replica& r) {
    const auto at = r.reached.find(token);
    return at != r.reached.end() && at->second > told;
  })) {
    ++told;
    log_.reached(token);
    deliver(made(answer::Reached{token}));
  }
}

// Of what kernels print the first one's is told; another goes on where that one has stopped.
void ReplicaLink::print(Replica& replica, const Message& message) {
  replica.printed += message.body.size();
  replica.text.append(message.body.begin(), message.body.end());
  if (!line_.empty() && &replica == line_.front().get()) return tell_text(replica);
  const u64 begin = replica.printed - replica.text.size();
  if (begin < printed_) replica.text.erase(0, std::min<u64>(printed_ - begin, replica.text.size()));
}

void ReplicaLink::tell_text(Replica& replica) {
  const u64 begin = replica.printed - replica.text.size();
  if (begin < printed_) replica.text.erase(0, std::min<u64>(printed_ - begin, replica.text.size()));
  if (replica.text.empty()) return;
  Message message = made(answer::Printed{});
  message.body.assign(replica.text.begin(), replica.text.end());
  message.head.bytes = static_cast<u32>(message.body.size());
  printed_ += replica.text.size();
  replica.text.clear();
  deliver(std::move(message));
}

// All of it again, as others are in line now.
void ReplicaLink::review() {
  tell_troubles();
  if (!line_.empty()) tell_text(*line_.front());
  review_reached();
  std::vector<u64> numbers;
  for (const auto& [number, ballot] : ballots_) numbers.push_back(number);
  for (const u64 number : numbers) decide(number);
}

void ReplicaLink::say_difference(u64 number, Ballot& ballot, const Ballot::Verdict& verdict) {
  const Log::Entry* entry = log_.waiting(number);
  std::string right;
  for (const Ballot::Vote& vote : ballot.votes())
    if (!std::count(verdict.wrong.begin(), verdict.wrong.end(), vote.voter))
      right += (right.empty() ? "" : " and ") + names_[static_cast<std::size_t>(vote.voter)];
  for (const int voter : verdict.wrong) {
    const std::string name = names_[static_cast<std::size_t>(voter)];
    char text[160] = "";
    std::string what = "was answered otherwise";
    if (ballot.of_bytes() && entry) {
      const Range range = range_of(*entry);
      std::snprintf(text, sizeof text, " (%llu bytes from 0x%llx)",
                    static_cast<unsigned long long>(range.bytes),
                    static_cast<unsigned long long>(range.from));
      what = "gave " + what_differs(*verdict.right, *ballot.of(voter), replication_.tolerance);
    }
    agreement_.missed("device " + std::to_string(device_) + ": call " + std::to_string(number) + text + " " +
                      what + " at " + name + " than at " + right);
  }
}

} // namespace tasuki::remote

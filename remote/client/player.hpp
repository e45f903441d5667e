// A worker of a device whose calls are logged, and how the log is played to it.
//
//   Worker worker;                         // with its link, and a thread that reads its answers
//   Player player{log.begin(), true, {}, {}};
//   bool there = play(held, log, image, worker, player, changed, over);   // it stands where the log ends
//
// What is here is looked at and changed with the mutex of the link that has the log; `changed` is told of all that comes.
#pragma once

#include <remote/client/log.hpp>
#include <remote/client/spares.hpp>
#include <remote/device/status.hpp>
#include <remote/link/link.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tasuki::remote {

class Image;
using Held = std::unique_lock<std::mutex>;

constexpr u64 own_number = 1ull << 63; // of a call that a link makes by itself

struct Message {
  AnswerHead head;
  std::vector<unsigned char> body;
};

inline bool is(const AnswerHead& head, Answer answer) {
  return head.answer == static_cast<std::uint16_t>(answer);
}

template <class Fields>
Fields message_of(const std::vector<unsigned char>& body) {
  Fields message;
  View tail;
  decode({body.data(), body.size()}, message, tail);
  return message;
}

struct Worker {
  Spare place;
  std::thread reader;
  std::string gone;   // why its link has ended
  bool unfit = false; // it has answered otherwise than it must
  Status fault = Status::success;
  std::set<u64> answered;     // while it plays
  std::map<u64, u64> reached; // token, times
  u64 printed = 0, troubles = 0;
  std::map<u64, Message> own; // answers to calls that its link has made by itself
  std::deque<Message> held;   // answers of one that is not, or not for sure, a worker of this device
  bool usable() const { return gone.empty() && !unfit; }
};

// The next answer of a worker, waited for. Throws LinkLost.
Message next_answer(Link& link);
// "what; mend" without the mend.
std::string what_of(const std::exception& e);
// "tasuki: device 0: c:0 comes in for a:0 (why) after 0.24 s and 1.2 MB of calls", or "0.24 s, an image of 8.4 MB and .."
void say_came(int device, const std::string& next, const std::string& before, const std::string& why,
              std::chrono::steady_clock::time_point begin, const Log& log, const Image* image);
// That its server waits for a device which cannot go elsewhere, and for what reason.
void say_stays(int device, const std::string& name, const std::string& why);
// That the log of a device has come to more than it may, and for what reason.
void say_given_up(int device, const std::string& name, const Log& log);

// How far a worker has been brought along the log.
struct Player {
  Log::Place at;
  bool from_the_start;
  std::set<u64> sent; // waits, whose marks are still to come
  std::map<u64, u64> reached;
  std::set<u64> paused = {}; // waits that the worker is told to pause for, and has not answered yet
  Log::Place until = {~std::size_t(0), 0}; // no further
};

// Plays what the log has by now, a few times over, as calls come meanwhile: what is left then is little.
bool play_most(Held& held, const Log& log, const Image* image, Worker& worker, Player& player,
               std::condition_variable& changed, const bool& over);

// Sends what the log holds behind the player's place, up to its end; returns with the mutex held ever since it was there, so
// whoever lets writers send by themselves next misses nothing. At a mark the worker pauses as the program has waited: what lies
// behind may rely on what lies before. Where functions of the program's were called, it is waited for here instead, since the
// worker must go on reading. Where the log was cut behind an image, that is played in between. False: its worker is not
// usable, or all is over.
bool play(Held& held, const Log& log, const Image* image, Worker& worker, Player& player,
          std::condition_variable& changed, const bool& over);

// Answers on their way to the program, read as the bytes of a link.
class Inbox {
public:
  void add(Message message) { messages_.push_back(std::move(message)); }
  // So many bytes of what is there; 0: nothing is.
  std::size_t take(unsigned char* to, std::size_t at_most);

private:
  std::deque<Message> messages_;
  std::size_t taken_ = 0; // bytes of its first
};

// Calls `on(View first, View rest)` for each frame of what a Connection writes: frames come whole, and only the last one's tail
// may lie in the second piece.
template <class On>
void each_frame(const Piece* pieces, std::size_t count, On&& on) {
  const auto* bytes = static_cast<const unsigned char*>(pieces[0].data);
  for (std::size_t at = 0; at < pieces[0].size;) {
    CallHead head;
    std::memcpy(&head, bytes + at, sizeof head);
    const std::size_t whole = sizeof head + head.bytes, here = std::min(whole, pieces[0].size - at);
    const bool split = here < whole && count > 1;
    on(View{bytes + at, here}, split ? View{pieces[1].data, pieces[1].size} : View{});
    at += here;
  }
}

} // namespace tasuki::remote

#include <remote/client/connection.hpp>
#include <remote/client/image.hpp>
#include <remote/client/player.hpp>

#include <algorithm>
#include <cstdio>

namespace tasuki::remote {

namespace {

constexpr int passes = 3;
constexpr std::size_t batch_bytes = 256u << 10;

enum class Mark { past, pause, wait };

// What there is to do before the log goes on behind an entry.
Mark mark_of(const Log& log, const Log::Entry& entry, Worker& worker, Player& player) {
  if (entry.kind == Log::Kind::call && row_of(entry.call)->logged == Logged::waits)
    player.sent.insert(entry.number);
  if (entry.kind == Log::Kind::answered && player.sent.count(entry.number)) {
    const bool there = worker.answered.erase(entry.number) > 0;
    if (!there && log.calls_functions()) return Mark::wait;
    player.sent.erase(entry.number);
    if (there) return Mark::past;
    player.paused.insert(entry.number);
    return Mark::pause;
  }
  if (entry.kind == Log::Kind::reached && player.from_the_start) {
    if (worker.reached[entry.number] <= player.reached[entry.number]) return Mark::wait;
    ++player.reached[entry.number];
  }
  return Mark::past;
}

// Whether the worker has answered all that it paused for.
bool has_paused(Worker& worker, Player& player) {
  for (auto at = player.paused.begin(); at != player.paused.end();)
    at = worker.answered.erase(*at) ? player.paused.erase(at) : std::next(at);
  return player.paused.empty();
}

const Log::Entry* next_of(const Log& log, Player& player) {
  const Log::Entry* entry = log.at(player.at);
  return player.at.before(player.until) ? entry : nullptr;
}

} // namespace

Message next_answer(Link& link) {
  Message message;
  link.read(&message.head, sizeof message.head, sizeof message.head);
  if (message.head.bytes > answer_limit) throw LinkLost("its worker sent an answer without end", "");
  message.body.resize(message.head.bytes);
  if (message.head.bytes) link.read(message.body.data(), message.body.size(), message.body.size());
  return message;
}

std::string what_of(const std::exception& e) {
  const std::string text = e.what();
  return text.substr(0, text.rfind("; "));
}

void say_came(int device, const std::string& next, const std::string& before, const std::string& why,
              std::chrono::steady_clock::time_point begin, const Log& log, const Image* image) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  char from[64] = "";
  if (image)
    std::snprintf(from, sizeof from, ", an image of %.1f MB", static_cast<double>(image->bytes()) / 1e6);
  std::fprintf(stderr, "tasuki: device %d: %s comes in for %s (%s) after %.2f s%s and %.1f MB of calls\n",
               device, next.c_str(), before.c_str(), why.c_str(), seconds, from,
               static_cast<double>(log.bytes()) / 1e6);
}

void say_stays(int device, const std::string& name, const std::string& why) {
  std::fprintf(stderr,
               "tasuki: device %d: the server of %s is about to end, and waits for this program: %s\n",
               device, name.c_str(), why.c_str());
}

void say_given_up(int device, const std::string& name, const Log& log) {
  std::fprintf(stderr,
               "tasuki: device %d (%s): the log of its calls %s, so no spare can come in for it any more; "
               "give a larger --log or --spill, or --image\n",
               device, name.c_str(), log.why_full().c_str());
}

bool play(Held& held, const Log& log, const Image* image, Worker& worker, Player& player,
          std::condition_variable& changed, const bool& over) {
  std::vector<unsigned char> batch;
  for (;;) {
    batch.clear();
    const Log::Entry* entry = nullptr;
    while (batch.size() < batch_bytes && (entry = next_of(log, player)) && entry->kind != Log::Kind::image) {
      const Mark mark = mark_of(log, *entry, worker, player);
      if (mark == Mark::wait) break;
      if (mark == Mark::pause) frame(entry->number, false, call::Pause{entry->number}, 0, batch);
      if (entry->kind == Log::Kind::call)
        batch.insert(batch.end(), entry->frame(), entry->frame() + entry->bytes);
      log.next(player.at);
    }
    if (over || !worker.usable()) return false;
    if (batch.empty()) {
      if (!entry && has_paused(worker, player)) return true;
      if (entry && entry->kind == Log::Kind::image) {
        if (!image || !image->play(held, worker, changed, over)) return false;
        log.next(player.at);
        continue;
      }
      changed.wait(held); // at a mark, or at the end
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

bool play_most(Held& held, const Log& log, const Image* image, Worker& worker, Player& player,
               std::condition_variable& changed, const bool& over) {
  const Log::Place no_end = player.until;
  bool there = true;
  for (int pass = 0; pass < passes && there; ++pass) {
    player.until = log.end();
    there = play(held, log, image, worker, player, changed, over);
  }
  player.until = no_end;
  return there;
}

std::size_t Inbox::take(unsigned char* to, std::size_t at_most) {
  std::size_t got = 0;
  while (got < at_most && !messages_.empty()) {
    const Message& first = messages_.front();
    const auto part = [&](const void* from, std::size_t bytes, std::size_t begin) {
      if (taken_ < begin || taken_ - begin >= bytes) return;
      const std::size_t n = std::min(at_most - got, bytes - (taken_ - begin));
      std::memcpy(to + got, static_cast<const unsigned char*>(from) + (taken_ - begin), n);
      got += n;
      taken_ += n;
    };
    part(&first.head, sizeof first.head, 0);
    part(first.body.data(), first.body.size(), sizeof first.head);
    if (taken_ < sizeof first.head + first.body.size()) continue;
    messages_.pop_front();
    taken_ = 0;
  }
  return got;
}

} // namespace tasuki::remote

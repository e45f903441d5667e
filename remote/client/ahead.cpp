#include <remote/client/ahead.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::remote {

void Ahead::made(Call call, bool beside) {
  if (call == Call::BeginCapture) ++captures_;
  if (call == Call::EndCapture && captures_ > 0) --captures_;
  if (beside) beside_ = true;
  if (++made_ + used_ == due_) read();
}

bool Ahead::take(void* to, u64 from, u64 bytes, u64 stream) {
  std::unique_ptr<Read> found;
  if (ended_) return false;
  bool another; // copy follows this one
  {
    std::lock_guard hold(mutex_);
    const auto at = std::find_if(reads_.begin(), reads_.end(), [&](const auto& read) {
      return read->is_of(from, bytes, stream) && valid(*read);
    });
    if (at == reads_.end()) return false;
    found = std::move(*at);
    reads_.erase(at);
    ++used_;
    if (Pattern* pattern = pattern_of(from, bytes, stream)) pattern->unused = 0;
    note(from, bytes, stream, step());
    plan(step());
    another = due_ == step();
  }
  if (another) read();
  connection_.finish(found->waiting);
  is_known(stream);
  std::memcpy(to, found->to.data(), bytes);
  return true;
}

// How far this stream has come: what others have read beside it may be older.
void Ahead::is_known(u64 stream) {
  std::lock_guard hold(mutex_);
  for (const auto& read : reads_)
    if (read->stream != stream) read->heard = never;
}

void Ahead::asked(u64 from, u64 bytes, u64 stream) {
  if (bytes > most) return;
  std::lock_guard hold(mutex_);
  note(from, bytes, stream, step());
  plan(step() + 1);
}

void Ahead::forget(u64 address, u64 bytes) {
  std::lock_guard hold(mutex_);
  patterns_.erase(std::remove_if(patterns_.begin(), patterns_.end(),
                                 [=](const Pattern& p) {
                                   return p.from < address + bytes && address < p.from + p.bytes;
                                 }),
                  patterns_.end());
}

Ahead::Pattern* Ahead::pattern_of(u64 from, u64 bytes, u64 stream) {
  for (Pattern& p : patterns_)
    if (p.from == from && p.bytes == bytes && p.stream == stream) return &p;
  return nullptr;
}

void Ahead::note(u64 from, u64 bytes, u64 stream, u64 step) {
  Pattern* at = pattern_of(from, bytes, stream);
  if (!at) {
    if (patterns_.size() == most_patterns) // the one that was longest ago goes
      patterns_.erase(std::min_element(patterns_.begin(), patterns_.end(),
                                       [](const Pattern& a, const Pattern& b) { return a.last < b.last; }));
    patterns_.push_back({from, bytes, stream, step});
    return;
  }
  const u64 round = step - at->last;
  at->alike = round == at->round ? at->alike + 1 : 0;
  at->round = round;
  at->last = step;
}

// The next step behind which a copy is due, from `first` on.
void Ahead::plan(u64 first) {
  u64 next = 0;
  for (const Pattern& p : patterns_)
    if (p.repeats() && p.due() >= first && (!next || p.due() < next)) next = p.due();
  due_ = next;
}

// Copies that follow each other directly are all due behind the call before the first.
void Ahead::read() {
  std::lock_guard hold(mutex_);
  tidy();
  u64 at = step();
  for (bool any = captures_ == 0 && !ended_; any; at += any) {
    any = false;
    for (const Pattern& p : patterns_) {
      if (!p.repeats() || p.due() != at || (compared_ && !ordered(p.stream))) continue;
      any = true;
      const bool there = std::any_of(reads_.begin(), reads_.end(), [&](const auto& read) {
        return read->is_of(p.from, p.bytes, p.stream) && valid(*read);
      });
      if (!there && !send(p)) return;
    }
  }
  plan(std::max(at, step() + 1));
}

// False: the worker is gone, which the program's next call says.
bool Ahead::send(const Pattern& p) {
  if (reads_.size() >= most_reads) return true;
  auto read = std::make_unique<Read>();
  read->from = p.from;
  read->bytes = p.bytes;
  read->stream = p.stream;
  read->made = made_;
  read->heard = heard_;
  read->to.resize(p.bytes);
  read->waiting.into = read->to.data();
  read->waiting.room = p.bytes;
  read->waiting.ahead = true;
  try {
    connection_.begin(read->waiting, call::CopyOut{p.from, p.bytes, p.stream});
  } catch (const Failure&) {
    return false;
  }
  ++sent_;
  reads_.push_back(std::move(read));
  return true;
}

// Reads that the program has passed by go once their bytes have come, which need their place until then.
void Ahead::tidy() {
  reads_.erase(std::remove_if(reads_.begin(), reads_.end(),
                              [this](const auto& read) {
                                if (valid(*read) || !read->waiting.come.load(std::memory_order_acquire))
                                  return false;
                                if (Pattern* p = pattern_of(read->from, read->bytes, read->stream))
                                  ++p->unused;
                                return true;
                              }),
               reads_.end());
}

} // namespace tasuki::remote

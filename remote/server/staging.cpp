#include <remote/server/staging.hpp>

#include <sys/mman.h>

#include <new>
#include <set>
#include <vector>

namespace tasuki::remote {

struct Staging::Segment {
  unsigned char* data = nullptr;
  bool registered = false;
  std::size_t filled = 0;
  std::set<StreamId> streams;   // that used it since it was taken
  std::vector<EventId> pending; // where those streams were at the last use
};

Staging::Staging(Device& device) : device_(device) {}

Staging::~Staging() {
  for (auto& [segment, owned] : all_) {
    if (segment->registered) device_.unregister_host(segment->data);
    munmap(segment->data, segment_bytes);
  }
}

unsigned char* Staging::data(Segment* segment) { return segment->data; }

Staging::Segment* Staging::fresh(bool may_wait) {
  for (;;) {
    {
      std::lock_guard hold(mutex_);
      if (!idle_.empty()) {
        Segment* segment = idle_.front();
        idle_.pop_front();
        segment->filled = 0;
        return segment;
      }
    }
    if (static_cast<int>(all_.size()) < segments_at_most || !may_wait) return add();
    reclaim(true);
  }
}

Staging::Segment* Staging::add() {
  void* at = mmap(nullptr, segment_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  auto owned = std::make_unique<Segment>();
  owned->data = static_cast<unsigned char*>(at);
  try {
    device_.register_host(at, segment_bytes);
    owned->registered = true;
  } catch (const DeviceError&) {
    // copies are slower without, and the same
  }
  Segment* segment = owned.get();
  all_[segment] = std::move(owned);
  return segment;
}

bool Staging::reclaim(bool wait) {
  bool some = false;
  for (auto at = busy_.begin(); at != busy_.end();) {
    Segment* segment = *at;
    bool done = true;
    for (const EventId event : segment->pending) {
      if (wait && !some)
        device_.synchronize_event(event);
      else if (!device_.event_done(event))
        done = false;
    }
    if (!done) {
      ++at;
      continue;
    }
    for (const EventId event : segment->pending) device_.destroy_event(event);
    segment->pending.clear();
    at = busy_.erase(at);
    std::lock_guard hold(mutex_);
    idle_.push_back(segment);
    some = true;
  }
  if (some || !wait) return some;
  std::unique_lock hold(mutex_); // all are on their way out
  returned_.wait(hold, [this] { return !idle_.empty(); });
  return true;
}

void Staging::close() {
  if (!open_) return;
  for (const StreamId stream : open_->streams) {
    const EventId event = device_.create_event(2);
    device_.record(event, stream);
    open_->pending.push_back(event);
  }
  open_->streams.clear();
  busy_.push_back(open_);
  open_ = nullptr;
}

Staging::Piece Staging::take(std::size_t bytes, bool may_wait) {
  const std::size_t size = (bytes + 15) / 16 * 16;
  if (open_ && open_->filled + size > segment_bytes) close();
  if (!open_) {
    reclaim(false);
    open_ = fresh(may_wait);
  }
  Piece piece{open_->data + open_->filled, open_};
  open_->filled += size;
  return piece;
}

void Staging::used(const Piece& piece, StreamId stream) { piece.segment->streams.insert(stream); }

void Staging::leaves(StreamId stream) {
  if (open_ && open_->streams.count(stream)) close();
}

Staging::Segment* Staging::take_whole(bool may_wait) {
  reclaim(false);
  return fresh(may_wait);
}

void Staging::give_back(Segment* segment) {
  std::lock_guard hold(mutex_);
  idle_.push_back(segment);
  returned_.notify_one();
}

} // namespace tasuki::remote

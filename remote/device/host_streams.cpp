#include <remote/device/host_streams.hpp>

namespace tasuki::remote {
namespace {

constexpr unsigned kNonBlocking = 1, kNoTimes = 2; // flags of streams and events, with CUDA's values

[[noreturn]] void no_time() {
  throw DeviceError(Status::captured_event, "an event was recorded in a capture",
                    "record it on a stream that is not captured");
}

} // namespace

bool HostStreams::Place::passed() const { return !stream || stream->finished >= count; }

HostStreams::HostStreams(std::function<bool()> failed) : failed_(std::move(failed)) {
  auto legacy = std::make_shared<Stream>();
  streams_[kLegacyStream] = legacy;
  legacy->thread = std::thread([this, legacy] { serve(legacy); });
}

HostStreams::~HostStreams() {
  std::vector<std::shared_ptr<Stream>> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [id, stream] : streams_) {
      stream->ending = true;
      all.push_back(stream);
    }
    moved_.notify_all();
  }
  for (auto& stream : all) stream->thread.join();
}

std::shared_ptr<HostStreams::Stream> HostStreams::find(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end())
    throw DeviceError(Status::invalid_resource_handle, "there is no stream " + std::to_string(id),
                      "use one that was created");
  return found->second;
}

HostStreams::Event& HostStreams::find_event(EventId id) {
  const auto found = events_.find(id);
  if (found == events_.end())
    throw DeviceError(Status::invalid_resource_handle, "there is no event " + std::to_string(id),
                      "use one that was created");
  return found->second;
}

StreamId HostStreams::create(unsigned flags, int) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto stream = std::make_shared<Stream>();
  stream->blocking = !(flags & kNonBlocking);
  stream->thread = std::thread([this, stream] { serve(stream); });
  streams_[next_] = stream;
  return next_++;
}

void HostStreams::destroy(StreamId id) {
  if (id == kLegacyStream)
    throw DeviceError(Status::invalid_resource_handle, "the default stream stays", "destroy others");
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stream = find(id);
    stream->ending = true;
    moved_.notify_all();
  }
  stream->thread.join(); // the stream stays visible until then, since the default stream waits for it
  const std::lock_guard<std::mutex> lock(mutex_);
  streams_.erase(id);
}

HostStreams::Place HostStreams::push(const std::shared_ptr<Stream>& stream, Task task) {
  const auto& legacy = streams_.at(kLegacyStream);
  if (stream->tail.capture) {
    capture(*stream, std::move(task.work));
    return {};
  }
  if (stream == legacy) {
    for (const auto& [id, other] : streams_)
      if (other->blocking) not_captured(*other, Status::capture_implicit);
    for (const auto& [id, other] : streams_)
      if (other != stream && other->blocking && other->finished < other->issued)
        task.after.push_back({other, other->issued});
  } else if (stream->blocking && legacy->finished < legacy->issued) {
    task.after.push_back({legacy, legacy->issued});
  }
  stream->tasks.push_back(std::move(task));
  ++stream->issued;
  moved_.notify_all();
  return {stream, stream->issued};
}

void HostStreams::serve(std::shared_ptr<Stream> stream) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    moved_.wait(lock, [&] { return !stream->tasks.empty() || stream->ending; });
    if (stream->tasks.empty()) return;
    Task task = std::move(stream->tasks.front());
    stream->tasks.pop_front();
    for (const Place& place : task.after) moved_.wait(lock, [&] { return place.passed(); });
    lock.unlock();
    if (task.work && (task.always || !failed_())) task.work();
    task = {};
    lock.lock();
    ++stream->finished;
    moved_.notify_all();
  }
}

void HostStreams::enqueue(StreamId id, std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  push(find(id), {{}, std::move(work), false});
}

void HostStreams::wait_for(std::unique_lock<std::mutex>& lock, const Place& place) {
  moved_.wait(lock, [&] { return place.passed(); });
}

void HostStreams::synchronize(StreamId id) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto stream = find(id);
  not_captured(*stream);
  if (id == kLegacyStream)
    wait_for(lock, push(stream, {})); // after all blocking streams too
  else
    wait_for(lock, {stream, stream->issued});
}

void HostStreams::synchronize() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, stream] : streams_) not_captured(*stream);
  }
  drain();
}

void HostStreams::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  std::vector<Place> all;
  for (const auto& [id, stream] : streams_) all.push_back({stream, stream->issued});
  for (const Place& place : all) wait_for(lock, place);
}

bool HostStreams::done(StreamId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto stream = find(id);
  not_captured(*stream);
  if (id == kLegacyStream)
    for (const auto& [other_id, other] : streams_)
      if (other->blocking && other->finished < other->issued) return false;
  return stream->finished >= stream->issued;
}

void HostStreams::wait(StreamId id, EventId event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Event& behind = find_event(event);
  const auto stream = find(id);
  if (behind.tail.capture || stream->tail.capture) return join_capture(*stream, behind);
  const Place place = behind.place;
  if (!place.passed()) push(stream, {{place}, {}, false});
}

EventId HostStreams::create_event(unsigned flags) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_[next_].flags = flags;
  return next_++;
}

void HostStreams::destroy_event(EventId event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  find_event(event);
  events_.erase(event);
}

void HostStreams::record(EventId id, StreamId stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Event& event = find_event(id);
  event.tail = find(stream)->tail;
  if (event.tail.capture) return;
  const auto time = std::make_shared<std::chrono::steady_clock::time_point>();
  event.time = time;
  event.place = push(find(stream), {{}, [time] { *time = std::chrono::steady_clock::now(); }, true});
}

void HostStreams::synchronize_event(EventId id) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (find_event(id).tail.capture) no_time();
  const Place place = find_event(id).place;
  wait_for(lock, place);
}

bool HostStreams::event_done(EventId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (find_event(id).tail.capture) no_time();
  return find_event(id).place.passed();
}

float HostStreams::elapsed(EventId from, EventId to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Event &a = find_event(from), &b = find_event(to);
  if (a.tail.capture || b.tail.capture) no_time();
  if (!a.time || !b.time || (a.flags | b.flags) & kNoTimes)
    throw DeviceError(Status::invalid_resource_handle, "an event has no time",
                      "record both, and create them with times");
  if (!a.place.passed() || !b.place.passed())
    throw DeviceError(Status::not_ready, "an event has not been reached", "synchronise with it first");
  return std::chrono::duration<float, std::milli>(*b.time - *a.time).count();
}

} // namespace tasuki::remote

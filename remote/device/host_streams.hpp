// Streams and events of the host device: each has a queue and a thread. Work waits only for work enqueued earlier. Work
// on a captured stream becomes a node of a graph.
#pragma once

#include <remote/device/device.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace tasuki::remote {

class HostStreams {
public:
  // `failed` is called before each piece of work: if it is true, the work is skipped.
  explicit HostStreams(std::function<bool()> failed);
  ~HostStreams(); // waits for all work

  StreamId create(unsigned flags, int priority);
  void destroy(StreamId stream);
  void enqueue(StreamId stream, std::function<void()> work); // `work` must not throw
  void synchronize(StreamId stream);
  void synchronize(); // throws while a stream is captured
  void drain();       // the same, but ignores captures
  bool done(StreamId stream);
  void wait(StreamId stream, EventId event);

  EventId create_event(unsigned flags);
  void destroy_event(EventId event);
  void record(EventId event, StreamId stream);
  void synchronize_event(EventId event);
  bool event_done(EventId event);
  float elapsed(EventId from, EventId to);

  // The captured work in the order in which it was enqueued, which satisfies all dependencies.
  using Graph = std::vector<std::function<void()>>;
  void begin_capture(StreamId stream);
  Graph end_capture(StreamId stream); // throws the error of a failed capture, which ends too
  bool captured(StreamId stream);

private:
  struct Stream;
  struct Capture;
  struct Tail { // the position of a captured stream: the dependencies of its next node
    std::shared_ptr<Capture> capture;
    std::set<std::size_t> nodes;
  };
  struct Place { // all work of a stream up to a point in time
    std::shared_ptr<Stream> stream;
    std::uint64_t count = 0;
    bool passed() const;
  };
  struct Task {
    std::vector<Place> after;
    std::function<void()> work;
    bool always = false; // run also after a fault: times of events
  };
  struct Stream {
    bool blocking = true;
    std::deque<Task> tasks;
    std::uint64_t issued = 0, finished = 0;
    bool ending = false;
    Tail tail;
    std::thread thread;
  };
  struct Capture {
    std::shared_ptr<Stream> origin;
    std::vector<std::function<void()>> nodes;
    std::vector<std::set<std::size_t>> behind; // dependencies of each node
    Status broken = Status::success;
    bool over = false;
  };
  struct Event {
    unsigned flags = 0;
    Place place; // of the last record; empty before the first
    std::shared_ptr<std::chrono::steady_clock::time_point> time;
    Tail tail; // in the capture, at the last record
  };

  std::shared_ptr<Stream> find(StreamId stream); // requires the lock, like all functions below
  Event& find_event(EventId event);
  Place push(const std::shared_ptr<Stream>& stream, Task task);
  void capture(Stream& stream, std::function<void()> work);
  // Throws, and invalidates the capture, if the stream is captured: it cannot be waited for.
  void not_captured(Stream& stream, Status status = Status::capture_unsupported);
  void join_capture(Stream& stream, const Event& event);
  static bool joined(const Capture& capture, const Tail& end, const Tail& other);
  void wait_for(std::unique_lock<std::mutex>& lock, const Place& place);
  void serve(std::shared_ptr<Stream> stream);

  const std::function<bool()> failed_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<StreamId, std::shared_ptr<Stream>> streams_;
  std::map<EventId, Event> events_;
  std::uint64_t next_ = 1;
};

} // namespace tasuki::remote

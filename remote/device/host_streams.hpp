// Streams and events of the host's device: a queue and a thread each; what has to be waited for was issued before. What is
// enqueued on a captured stream becomes a node of a graph instead.
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
  // `failed` is asked before each piece of work: where it is true, work is passed over.
  explicit HostStreams(std::function<bool()> failed);
  ~HostStreams(); // ends once all work is done

  StreamId create(unsigned flags, int priority);
  void destroy(StreamId stream);
  void enqueue(StreamId stream, std::function<void()> work); // which throws nothing
  void synchronize(StreamId stream);
  void synchronize(); // throws while a stream is captured
  void drain();       // the same, and what is captured has nothing to do with it
  bool done(StreamId stream);
  void wait(StreamId stream, EventId event);

  EventId create_event(unsigned flags);
  void destroy_event(EventId event);
  void record(EventId event, StreamId stream);
  void synchronize_event(EventId event);
  bool event_done(EventId event);
  float elapsed(EventId from, EventId to);

  // What was captured, in the order in which it was enqueued, which is one in which it may be done.
  using Graph = std::vector<std::function<void()>>;
  void begin_capture(StreamId stream);
  Graph end_capture(StreamId stream); // throws what the capture failed with; it is over then, too
  bool captured(StreamId stream);

private:
  struct Stream;
  struct Capture;
  struct Tail { // where a captured stream is: what its next node comes behind
    std::shared_ptr<Capture> capture;
    std::set<std::size_t> nodes;
  };
  struct Place { // everything that a stream held when it was asked
    std::shared_ptr<Stream> stream;
    std::uint64_t count = 0;
    bool passed() const;
  };
  struct Task {
    std::vector<Place> after;
    std::function<void()> work;
    bool always = false; // events' times, also after a fault
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
    std::vector<std::set<std::size_t>> behind; // of each node
    Status broken = Status::success;
    bool over = false;
  };
  struct Event {
    unsigned flags = 0;
    Place place; // of the last record; nothing before the first
    std::shared_ptr<std::chrono::steady_clock::time_point> time;
    Tail tail; // where the last record was captured
  };

  std::shared_ptr<Stream> find(StreamId stream); // with the lock held, as all below
  Event& find_event(EventId event);
  Place push(const std::shared_ptr<Stream>& stream, Task task);
  void capture(Stream& stream, std::function<void()> work);
  // Throws, and spoils the capture, where the stream is captured: nobody can wait for it.
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

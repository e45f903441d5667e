// Streams and events of the host's device: a queue and a thread each; what has to be waited for was issued before.
#pragma once

#include <remote/device/device.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
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
  void synchronize();
  bool done(StreamId stream);
  void wait(StreamId stream, EventId event);

  EventId create_event(unsigned flags);
  void destroy_event(EventId event);
  void record(EventId event, StreamId stream);
  void synchronize_event(EventId event);
  bool event_done(EventId event);
  float elapsed(EventId from, EventId to);

private:
  struct Stream;
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
    std::thread thread;
  };
  struct Event {
    unsigned flags = 0;
    Place place; // of the last record; nothing before the first
    std::shared_ptr<std::chrono::steady_clock::time_point> time;
  };

  std::shared_ptr<Stream> find(StreamId stream); // with the lock held, as all below
  Event& find_event(EventId event);
  Place push(const std::shared_ptr<Stream>& stream, Task task);
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

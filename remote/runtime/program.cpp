#include <remote/runtime/program.hpp>

#include <pthread.h>

#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace tasuki::remote {

namespace {

// The set of valid handles; an address may be reused after its handle was destroyed.
template <class T>
struct Pool {
  std::mutex mutex;
  std::deque<T> all;
  std::vector<T*> free;
  T& take() {
    std::lock_guard hold(mutex);
    if (free.empty()) return all.emplace_back();
    T& handle = *free.back();
    free.pop_back();
    return handle;
  }
  void give(T& handle) {
    std::lock_guard hold(mutex);
    free.push_back(&handle);
  }
};

Pool<Stream>& streams() {
  static auto* pool = new Pool<Stream>;
  return *pool;
}
Pool<Event>& events() {
  static auto* pool = new Pool<Event>;
  return *pool;
}

std::atomic<bool> forked{false};

// The per-thread default streams, one per device. They end with the thread.
struct OwnStreams {
  std::map<VirtualDevice*, u64> numbers;
  ~OwnStreams() {
    for (auto& [device, number] : numbers) {
      try {
        device->calls().post(call::DestroyStream{number});
      } catch (const Failure&) {
        // the worker is gone
      }
    }
  }
};
thread_local OwnStreams own_streams;

u64 own_stream(VirtualDevice& device) {
  u64& number = own_streams.numbers[&device];
  if (!number) {
    number = device.fresh();
    device.calls().post(call::CreateStream{number, 0, 0});
  }
  return number;
}

} // namespace

ThreadState& thread() {
  thread_local ThreadState state;
  return state;
}

Session& session() {
  if (forked) {
    static std::once_flag once;
    std::call_once(once, [] {
      std::fprintf(
          stderr,
          "tasuki: a process forked after its parent's first CUDA call has no GPUs; fork before it\n");
    });
    throw Failure(Status::initialization_error);
  }
  static const bool watched = [] {
    pthread_atfork(nullptr, nullptr, [] { forked = Session::there() != nullptr; });
    return true;
  }();
  (void)watched;
  return Session::get();
}

VirtualDevice& device_at(int index) { return session().device(index); }

VirtualDevice& current() {
  VirtualDevice& device = device_at(thread().device);
  device.check();
  return device;
}

cudaStream_t new_stream(VirtualDevice& device, unsigned flags, int priority) {
  const u64 number = device.fresh();
  device.calls().post(call::CreateStream{number, flags, priority});
  Stream& stream = streams().take();
  stream.device = &device;
  stream.number = number;
  stream.flags = flags;
  stream.priority = priority;
  stream.mark = stream_mark;
  return reinterpret_cast<cudaStream_t>(&stream);
}

cudaEvent_t new_event(VirtualDevice& device, unsigned flags) {
  const u64 number = device.fresh();
  device.calls().post(call::CreateEvent{number, flags});
  Event& event = events().take();
  event.device = &device;
  event.number = number;
  event.flags = flags;
  event.recorded = false;
  event.mark = event_mark;
  return reinterpret_cast<cudaEvent_t>(&event);
}

Stream& stream_of(cudaStream_t handle) {
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (!stream || stream->mark != stream_mark) throw Failure(Status::invalid_resource_handle);
  return *stream;
}

Event& event_of(cudaEvent_t handle) {
  auto* event = reinterpret_cast<Event*>(handle);
  if (!event || event->mark != event_mark) throw Failure(Status::invalid_resource_handle);
  return *event;
}

void retire(Stream& stream) {
  stream.mark = 0;
  streams().give(stream);
}

void retire(Event& event) {
  event.mark = 0;
  event.capture.reset();
  events().give(event);
}

On resolve(cudaStream_t stream) {
  const bool own = stream == cudaStreamPerThread || (!stream && OwnDefaultStream::on);
  if (own || !stream || stream == cudaStreamLegacy) {
    VirtualDevice& device = current();
    return {device, own ? own_stream(device) : 0};
  }
  Stream& there = stream_of(stream);
  there.device->check();
  return {*there.device, there.number};
}

} // namespace tasuki::remote

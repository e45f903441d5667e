// The host's device for a client in the same process: its arena lies at other addresses, as the client keeps its own free; and some of
// what is enqueued is late, so that what is not ordered behind it overtakes it.
#pragma once

#include <remote/device/host.hpp>

#include <chrono>
#include <mutex>
#include <random>
#include <thread>

namespace tasuki::remote {

class LateDevice : public Device {
public:
  // Its addresses are those of the client plus `apart`.
  LateDevice(std::uint64_t apart, unsigned seed) : apart_(apart), dice_(seed) {
    HostOptions options;
    options.memory = 64u << 20;
    options.threads = 1;
    inner_ = open_host(options);
  }

  const Properties& properties() const override { return inner_->properties(); }
  std::uint64_t free_memory() const override { return inner_->free_memory(); }
  void reserve(Address base, std::uint64_t bytes) override { inner_->reserve(base + apart_, bytes); }
  std::uint64_t granularity() const override { return inner_->granularity(); }
  void map(Address at, std::uint64_t bytes) override { inner_->map(at + apart_, bytes); }
  void unmap(Address at, std::uint64_t bytes) override { inner_->unmap(at + apart_, bytes); }
  void register_host(void* at, std::uint64_t bytes) override { inner_->register_host(at, bytes); }
  void unregister_host(void* at) override { inner_->unregister_host(at); }
  LibraryId load(Bytes image) override { return inner_->load(image); }
  void unload(LibraryId library) override { inner_->unload(library); }
  KernelId kernel(LibraryId library, const std::string& name) override {
    return inner_->kernel(library, name);
  }
  KernelInfo info(KernelId kernel) const override { return inner_->info(kernel); }
  void set(KernelId kernel, KernelAttribute which, int value) override { inner_->set(kernel, which, value); }
  Variable variable(LibraryId library, const std::string& name) override {
    return inner_->variable(library, name);
  }
  int occupancy(KernelId kernel, int threads, std::uint64_t shared) const override {
    return inner_->occupancy(kernel, threads, shared);
  }
  void launch(const Launch& launch, Bytes parameters) override { inner_->launch(launch, parameters); }
  void copy_in(Address to, const void* from, std::uint64_t bytes, StreamId stream) override {
    be_late(stream);
    inner_->copy_in(to + apart_, from, bytes, stream);
  }
  void copy_out(void* to, Address from, std::uint64_t bytes, StreamId stream) override {
    be_late(stream);
    inner_->copy_out(to, from + apart_, bytes, stream);
  }
  void copy(Address to, Address from, std::uint64_t bytes, StreamId stream) override {
    be_late(stream);
    inner_->copy(to + apart_, from + apart_, bytes, stream);
  }
  void copy_2d(const Copy2D& copy, StreamId stream) override { inner_->copy_2d(copy, stream); }
  void fill(Address to, std::uint32_t value, int element, std::uint64_t width, std::uint64_t height,
            std::uint64_t pitch, StreamId stream) override {
    be_late(stream);
    inner_->fill(to + apart_, value, element, width, height, pitch, stream);
  }
  std::uint64_t digest(Address at, std::uint64_t bytes, StreamId stream) override {
    return inner_->digest(at + apart_, bytes, stream);
  }
  StreamId create_stream(unsigned flags, int priority) override {
    return inner_->create_stream(flags, priority);
  }
  void destroy_stream(StreamId stream) override { inner_->destroy_stream(stream); }
  void synchronize(StreamId stream) override { inner_->synchronize(stream); }
  bool done(StreamId stream) override { return inner_->done(stream); }
  void wait(StreamId stream, EventId event) override { inner_->wait(stream, event); }
  void stop(StreamId stream, Stop stop) override { inner_->stop(stream, std::move(stop)); }
  EventId create_event(unsigned flags) override { return inner_->create_event(flags); }
  void destroy_event(EventId event) override { inner_->destroy_event(event); }
  void record(EventId event, StreamId stream) override { inner_->record(event, stream); }
  void synchronize_event(EventId event) override { inner_->synchronize_event(event); }
  bool event_done(EventId event) override { return inner_->event_done(event); }
  float elapsed(EventId from, EventId to) override { return inner_->elapsed(from, to); }
  void word(StreamId stream, const WordOperation& operation) override { inner_->word(stream, operation); }
  void begin_capture(StreamId stream) override { inner_->begin_capture(stream); }
  GraphId end_capture(StreamId stream, std::uint64_t& nodes) override {
    return inner_->end_capture(stream, nodes);
  }
  bool captured(StreamId stream) const override { return inner_->captured(stream); }
  ExecutableId instantiate(GraphId graph, unsigned flags) override {
    return inner_->instantiate(graph, flags);
  }
  void launch_graph(ExecutableId executable, StreamId stream) override {
    inner_->launch_graph(executable, stream);
  }
  void destroy_graph(GraphId graph) override { inner_->destroy_graph(graph); }
  void destroy_executable(ExecutableId executable) override { inner_->destroy_executable(executable); }
  void synchronize() override { inner_->synchronize(); }
  Status fault() const override { return inner_->fault(); }

private:
  void be_late(StreamId stream) {
    unsigned time = 0; // us
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (dice_() % 4 == 0) time = 20 + dice_() % 500;
    }
    if (!time) return;
    inner_->stop(stream, {[time](const std::function<void()>& go_on) {
                            std::this_thread::sleep_for(std::chrono::microseconds(time));
                            go_on();
                          },
                          {}});
  }

  const std::uint64_t apart_;
  std::mutex mutex_;
  std::mt19937 dice_;
  std::unique_ptr<Device> inner_;
};

} // namespace tasuki::remote

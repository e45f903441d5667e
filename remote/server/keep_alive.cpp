#include <remote/server/keep_alive.hpp>

namespace tasuki::remote {

KeepAlive::KeepAlive(Device& device, std::chrono::microseconds every)
    : device_(device), every_(every), thread_([this] { work(); }) {}

KeepAlive::~KeepAlive() {
  {
    std::lock_guard hold(mutex_);
    end_ = true;
    end_comes_.notify_all();
  }
  thread_.join();
}

void KeepAlive::rests_at(Address memory) {
  memory_ = memory;
  last_ = std::chrono::steady_clock::now();
}

void KeepAlive::work() {
  std::unique_lock hold(mutex_);
  try {
    while (!end_comes_.wait_for(hold, every_, [this] { return end_; }))
      if (memory_ && std::chrono::steady_clock::now() - last_ >= every_) touch();
    if (stream_ == kLegacyStream) return;
    device_.synchronize(stream_); // its bytes come here
    device_.destroy_stream(stream_);
  } catch (const DeviceError&) {
    // the device has a fault, which the client's next call has too
  }
}

void KeepAlive::touch() {
  if (stream_ == kLegacyStream) stream_ = device_.create_stream(1, 0);
  if (device_.done(stream_)) device_.copy_out(bytes_.data(), memory_, bytes_.size(), stream_);
}

} // namespace tasuki::remote

#include <tasuki/device/signal/watch.hpp>
#include <tasuki/run/ahead.hpp>

namespace tasuki {

Ahead::Ahead(Device& device, long steps)
    : device_(device), stride_(steps), marks_{Event(device.kind()), Event(device.kind())} {}

void Ahead::enqueued(long steps) {
  if (!device_.cuda()) return;
  since_ += steps;
  if (since_ < stride_) return;
  since_ = 0;
  marks_[next_].record(device_.stream());
  next_ = 1 - next_;
  if (++marked_ < 2) return;
  const Event& earlier = marks_[next_];
  device_.world().part<Watch>().wait_until([&] { return earlier.reached(); });
}

} // namespace tasuki

#include "queues.hpp"

#include "translated.h"

namespace tasuki::xmp {
namespace {
Device& accelerator() { return RunTime::now().accelerator(); }
} // namespace

Queues::Queue::Queue() : stream(accelerator().kind(), false) {
  World& world = RunTime::now().world();
  if (world.size() > 1) stream.watch(world);
}

Stream& Queues::known(long queue) {
  return queue == TSK_ACC_NOW ? accelerator().stream() : queues_[queue].stream;
}

Stream& Queues::stream(long queue) {
  if (queue != TSK_ACC_NOW) follow(queue, TSK_ACC_NOW);
  return known(queue);
}

void Queues::follow(long queue, long other) {
  if (queue == other || !accelerator().cuda()) return;
  Event reached(accelerator().kind());
  reached.record(known(other));
  known(queue).wait(reached);
}

char* Queues::scratch(long queue, long bytes) {
  Buffer& buffer = scratch_[queue];
  if (static_cast<std::size_t>(bytes) > buffer.bytes()) {
    known(queue).synchronize(); // the previous launch may still use it
    buffer = Buffer(accelerator(), static_cast<std::size_t>(bytes));
  }
  return buffer.data();
}

void Queues::wait(long queue) { known(queue).synchronize(); }

void Queues::wait_all() {
  accelerator().stream().synchronize();
  for (auto& [number, queue] : queues_) queue.stream.synchronize();
}

bool Queues::all_idle() {
  bool all = idle(TSK_ACC_NOW);
  for (const auto& [number, queue] : queues_) all = idle(number) && all;
  return all;
}

bool Queues::idle(long queue) {
  Event reached(accelerator().kind());
  reached.record(known(queue));
  return reached.reached();
}

} // namespace tasuki::xmp

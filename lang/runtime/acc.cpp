// Data clauses of OpenACC, the device addresses of their data, and the arguments of kernel launches.
#include "objects.hpp"
#include "present.hpp"
#include "queues.hpp"
#include "sums.hpp"

#include <algorithm>

namespace tasuki::xmp {
namespace {

struct Bytes {
  const char* host;
  long bytes;
  Array* array; // null: ordinary memory of this rank
};

Bytes bytes_of(const tsk_part& part) {
  if (!part.array) return {static_cast<const char*>(part.at), part.bytes, nullptr};
  ArrayObject& object = array_of(part.array);
  // A part without elements here is identified by its descriptor, since all ranks allocate its device memory together.
  if (part.array->bytes == 0) return {reinterpret_cast<const char*>(part.array), 0, object.array.get()};
  return {part.array->start, part.array->bytes, object.array.get()};
}

// Copies use the device's own stream and are complete on return; on a queue they follow its earlier work.
void wait_for(long queue) {
  if (queue != TSK_ACC_NOW && RunTime::now().accelerator().cuda()) queues().wait(queue);
}

void absent(const char* name) {
  throw Error("'" + std::string(name ? name : "?") + "' is not present on the device",
              "bring it over by a data clause before");
}

// The memory of a GPU is shared within the node, so that ranks can store shadows and sections into it.
ArrayMemory* shared_memory(const Bytes& some) {
  RunTime& run_time = RunTime::now();
  const bool all = static_cast<int>(run_time.executing().members().size()) == run_time.world().size();
  if (!some.array || !run_time.accelerator().cuda() || !all || !some.array->everywhere()) return nullptr;
  return new ArrayMemory(run_time.accelerator(), Ranks(run_time.world()), some.bytes);
}

void enter(const tsk_part& part) {
  const Bytes some = bytes_of(part);
  if (part.action == TSK_ACC_DEVICEPTR || part.action == TSK_ACC_DELETE) return;
  if (part.action == TSK_ACC_PRESENT) {
    if (some.bytes == 0) return;
    Present::Entry* known = present().find(some.host, some.bytes, part.name);
    if (!known && RunTime::now().apart()) absent(part.name);
    if (known && known->count >= 0) ++known->count;
    return;
  }
  if (some.bytes == 0 && !some.array) return;
  if (part.action == TSK_ACC_USED)
    if (Present::Entry* const known = present().touching(some.host, some.bytes, part.name)) {
      if (known->count >= 0) ++known->count;
      return;
    }
  const bool here = present().find(some.host, some.bytes, part.name) != nullptr;
  bool is_new = false;
  Present::Entry& entry =
      present().enter(some.host, some.bytes, part.name, is_new, here ? nullptr : shared_memory(some));
  if (is_new && (part.action == TSK_ACC_COPY || part.action == TSK_ACC_COPYIN || part.action == TSK_ACC_USED))
    present().copy(entry, some.host, some.bytes, true);
}

void leave(const tsk_part& part, bool finalize) {
  const Bytes some = bytes_of(part);
  if (part.action == TSK_ACC_DEVICEPTR || (part.action == TSK_ACC_PRESENT && some.bytes == 0)) return;
  const bool used = part.action == TSK_ACC_USED;
  Present::Entry* const entry = used ? present().touching(some.host, some.bytes, part.name)
                                     : present().find(some.host, some.bytes, part.name);
  if (!entry) {
    if (part.action != TSK_ACC_PRESENT && some.bytes > 0 && RunTime::now().apart()) absent(part.name);
    return;
  }
  const bool last = entry->count == 1 || (finalize && entry->count > 0);
  if (last && (part.action == TSK_ACC_COPY || part.action == TSK_ACC_COPYOUT || used))
    present().copy(*entry, some.host, some.bytes, false);
  if (last && RunTime::now().accelerator().cuda()) queues().wait(TSK_ACC_NOW); // kernels may still use it
  present().leave(*entry, finalize);
}

} // namespace

void* address_of(const char* name, const void* host) {
  if (!RunTime::runs()) throw Error("no program of directives runs", "start it by its main");
  Present::Entry* const entry = present().find(host, 1, name ? name : "");
  if (entry) return entry->device + (static_cast<const char*>(host) - entry->host);
  if (RunTime::now().apart()) absent(name);
  return const_cast<void*>(host);
}

} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_acc_enter(const char* where, int parts, const tsk_part* part, long queue) {
  at(where, [&] {
    wait_for(queue);
    std::for_each(part, part + parts, enter);
  });
}

void tsk_acc_exit(const char* where, int parts, const tsk_part* part, long queue) {
  at(where, [&] {
    wait_for(queue);
    for (int k = parts - 1; k >= 0; --k) leave(part[k], false);
  });
}

void tsk_acc_finalize(const char* where, int parts, const tsk_part* part, long queue) {
  at(where, [&] {
    wait_for(queue);
    for (int k = parts - 1; k >= 0; --k) leave(part[k], true);
  });
}

void tsk_acc_undeclare(tsk_declared* declared) {
  tsk_acc_exit(declared->where, declared->parts, declared->part, TSK_ACC_NOW);
}

void tsk_acc_update(const char* where, int to_device, int parts, const tsk_part* part, int if_present,
                    long queue) {
  at(where, [&] {
    wait_for(queue);
    for (int k = 0; k < parts; ++k) {
      const Bytes some = bytes_of(part[k]);
      if (some.bytes == 0) continue;
      Present::Entry* const entry = present().find(some.host, some.bytes, part[k].name);
      if (!entry && !if_present && RunTime::now().apart()) absent(part[k].name);
      if (entry) present().copy(*entry, some.host, some.bytes, to_device != 0);
    }
  });
}

void tsk_acc_wait(const char* where, int count, const long* queue) {
  at(where, [&] {
    if (count == 0) queues().wait_all();
    for (int k = 0; k < count; ++k) queues().wait(queue[k]);
  });
}

int tsk_acc_gpu(void) {
  return at("", [] { return RunTime::now().accelerator().cuda() ? 1 : 0; });
}

tsk_launch tsk_acc_launch(const char* where, long queue, long bytes) {
  return at(where, [&]() -> tsk_launch {
    return {where, queue, queues().stream(queue).handle(), bytes ? queues().scratch(queue, bytes) : nullptr};
  });
}

void tsk_acc_launched(const tsk_launch* launch, const char* wrong) {
  if (wrong)
    at(launch->where, [&]() -> void {
      throw Error("the GPU refuses this loop's kernel: " + std::string(wrong),
                  "see `tasuki info` for the GPU, or take --device host");
    });
}

tsk_cell tsk_acc_cell(const tsk_launch* launch, void* value, long bytes) {
  return at(launch->where, [&]() -> tsk_cell {
    bool held = false;
    char* const cell = RunTime::now().part<Sums>().cell(value, bytes, launch->queue, held);
    return {cell, held};
  });
}

void tsk_acc_settle(void) {
  at("", [] {
    if (RunTime::now().accelerator().cuda()) RunTime::now().part<Sums>().settle();
  });
}

void* tsk_acc_address(const char* where, const char* name, void* host) {
  return at(where, [&] { return address_of(name, host); });
}

void* tsk_acc_at(const char* where, const tsk_array* a) {
  return at(where, [&]() -> void* {
    const ArrayObject& object = array_of(a);
    if (a->bytes == 0) return a->at;
    auto* const first = static_cast<char*>(address_of(object.name.c_str(), a->start));
    return first + (a->at - a->start);
  });
}

void* tsk_acc_member(const char* where, const char* name, void* host, int is_pointer) {
  return at(where, [&] {
    const bool must = is_pointer || RunTime::now().accelerator().cuda();
    return must || present().find(host, 1, name) ? address_of(name, host) : host;
  });
}

void* tsk_acc_base(const char* where, const char* name, void* host, long bytes) {
  return at(where, [&]() -> void* {
    Present::Entry* const entry = present().touching(host, bytes, name);
    if (entry) return entry->device + (static_cast<const char*>(host) - entry->host);
    if (RunTime::now().apart()) absent(name);
    return host;
  });
}

int tsk_acc_take(const char* where, const char* name, void* number, long bytes, long queue) {
  return at(where, [&] {
    tsk_acc_settle();
    Present::Entry* const entry = RunTime::now().apart() ? present().find(number, bytes, name) : nullptr;
    if (!entry) return 0;
    wait_for(queue);
    present().copy(*entry, number, bytes, false);
    return 1;
  });
}

void tsk_acc_give(const char* where, const char* name, void* number, long bytes, long queue) {
  at(where, [&] {
    tsk_acc_settle();
    wait_for(queue);
    if (Present::Entry* const entry = present().find(number, bytes, name))
      present().copy(*entry, number, bytes, true);
  });
}

int tsk_acc_present(const void* host, long bytes) {
  return at("", [&] {
    if (!RunTime::now().apart()) return 1;
    return present().find(host, bytes, "what is asked for") ? 1 : 0;
  });
}
}
